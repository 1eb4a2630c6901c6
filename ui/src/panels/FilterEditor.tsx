// The text of a filter, with what is wrong with it, or how much it keeps.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { allKept, useKept } from './kept';

interface Props {
  dataSet: string;
  title: string;
  text: string;
  apply: string;
  onApply: (text: string) => void;
  onCancel: () => void;
  /** Something else that can be done with the filter as it was. */
  more?: { words: string; run: () => void } | undefined;
}

const WAIT = 180; // ms without a key

export function FilterEditor({ dataSet, title, text, apply, onApply, onCancel, more }: Props) {
  const [now, setNow] = useState(text);
  const checked = useKept(dataSet, now, WAIT);
  const error = checked.answer?.error || checked.error;
  const done = () => {
    if (error === '' || now.trim() === '') onApply(now.trim());
  };
  return (
    <form
      className="filter-editor"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        done();
      }}
    >
      <Textarea
        size="xs"
        label={title}
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--code)' } }}
        placeholder={'Method matches "^java" or Location in ["a", "b"]'}
        value={now}
        error={now.trim() !== '' && !checked.loading && error ? error : undefined}
        onChange={(event) => setNow(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            done();
          }
          if (event.key === 'Escape') onCancel();
        }}
        data-testid="filter-text"
      />
      <p className="filter-kept" role="status">
        {now.trim() === '' ? 'An empty one keeps everything.' : error ? '' : allKept(checked.answer) || '…'}
      </p>
      <div className="buttons">
        <Button size="compact-xs" type="submit" disabled={error !== '' && now.trim() !== ''} data-testid="filter-apply">
          {apply}
        </Button>
        <Button size="compact-xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {more && (
          <Button size="compact-xs" variant="subtle" ml="auto" onClick={more.run} data-testid="filter-elsewhere">
            {more.words}
          </Button>
        )}
      </div>
    </form>
  );
}

// What a search found, the largest first.
import { UnstyledButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { SearchResponse } from '../gen/cambium/v1/details_pb';
import { formatCount, formatExact, formatShare, formatValue } from '../format/numbers';
import { pointed, pointing } from '../state/hover';
import { Name } from './Name';

export interface ResultsProps {
  query: string;
  answer: SearchResponse | undefined;
  error: string;
  loading: boolean;
  unit: string;
  wholeTotal: number;
  pin: number | undefined;
  onChoose: (id: number) => void;
}

export function SearchResults({ query, answer, error, loading, unit, wholeTotal, pin, onChoose }: ResultsProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
  }, [pin]);
  // A row that goes away tells of no pointer that leaves.
  useEffect(() => () => pointed.set(undefined), [answer]);
  return (
    <section className="found" aria-label="Search results" data-testid="search-results" aria-busy={loading}>
      <h2>Found</h2>
      {error !== '' ? (
        <p className="note error" role="alert">
          {error}
        </p>
      ) : answer ? (
        <Summary query={query} answer={answer} unit={unit} />
      ) : (
        <p className="note">Searching …</p>
      )}
      {error === '' && answer && answer.hits.length > 0 && (
        <ol className="plain results" ref={list}>
          {answer.hits.map((hit) => (
            <li key={hit.id}>
              <UnstyledButton
                className="row result"
                aria-current={hit.id === pin ? 'true' : undefined}
                onClick={() => onChoose(hit.id)}
                {...pointing(hit.id, pointed.set)}
              >
                <Name name={hit.name} short={hit.shortName} />
                <span className="number" title={`total ${formatExact(hit.total, unit)}; ${formatShare(Number(hit.total) / (wholeTotal || 1))} of the whole`}>
                  {formatValue(hit.total, unit)}
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ol>
      )}
      {answer && BigInt(answer.hits.length) < answer.count && error === '' && <p className="note">The {formatCount(answer.hits.length)} largest are listed.</p>}
    </section>
  );
}

function Summary({ query, answer, unit }: { query: string; answer: SearchResponse; unit: string }) {
  if (answer.count === 0n) {
    return (
      <p className="note" role="status">
        Nothing matches “{query}” here. Try a part of the name, or remove a step: a search looks below the root.
      </p>
    );
  }
  return (
    <p className="note" role="status">
      <b>{formatCount(answer.count)}</b> {answer.count === 1n ? 'context' : 'contexts'} of {formatCount(answer.methodCount)} {answer.methodCount === 1n ? 'method' : 'methods'};{' '}
      <span title={formatExact(answer.total, unit)}>{formatValue(answer.total, unit)}</span>, {formatShare(answer.share)} of the whole. <kbd>n</kbd> <kbd>N</kbd> step through.
    </p>
  );
}

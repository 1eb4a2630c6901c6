// What links the charts: the filters as chips, and the selection with what can be done with it.
// It is always there, so that nothing moves when something is selected.
import { Button, CloseButton, Popover, UnstyledButton } from '@mantine/core';
import { memo, useState, type ReactNode } from 'react';
import { inTitle, inWords } from '../state/filters';
import { changeFilter, withFilter } from '../state/work';
import { useBench } from './bench';
import { FacetMenus } from './FacetMenu';
import { FilterEditor } from './FilterEditor';
import { allKept, keptInWords, useKept } from './kept';

interface Props {
  onFilterTo: () => void;
  onExclude: () => void;
  onColour: () => void;
  onClear: () => void;
}

function Edited({ opened, onClose, target, children }: { opened: boolean; onClose: () => void; target: ReactNode; children: ReactNode }) {
  return (
    <Popover opened={opened} onChange={(now) => !now && onClose()} position="bottom-start" withinPortal trapFocus shadow="md" width={380} transitionProps={{ duration: 0 }} offset={4}>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown p={12}>{children}</Popover.Dropdown>
    </Popover>
  );
}

export const LinkBar = memo(function LinkBar({ onFilterTo, onExclude, onColour, onClear }: Props) {
  const bench = useBench();
  const { filters, selection } = bench.desk.history.now;
  const [editing, setEditing] = useState<number | 'new' | 'selection'>();
  const kept = useKept(bench.dataSet.id, selection);
  const left = useKept(bench.dataSet.id, bench.shared.filter ?? '');
  const words = inWords(selection);
  const error = kept.answer?.error ?? '';
  const close = () => setEditing(undefined);
  return (
    <section className="linkbar" aria-label="Filters and selection">
      <div className="linkbar-part linkbar-filters" data-testid="filters">
        <span className="bar-label">Filter</span>
        {filters.map((filter, i) => (
          <span className="chip chip-filter" data-testid="filter-chip" key={filter}>
            <Edited
              opened={editing === i}
              onClose={close}
              target={
                <UnstyledButton className="chip-name" title={`${inTitle(filter)}\n(click to change it)`} onClick={() => setEditing(i)}>
                  {inWords(filter)}
                </UnstyledButton>
              }
            >
              <FilterEditor
                dataSet={bench.dataSet.id}
                title="Filter: only events for which this holds"
                text={filter}
                apply="Apply"
                onCancel={close}
                onApply={(text) => {
                  close();
                  bench.change('change a filter', (work) => changeFilter(work, i, text));
                }}
              />
            </Edited>
            <CloseButton size="xs" radius="xl" aria-label={`Remove the filter ${inWords(filter)}`} onClick={() => bench.change('remove a filter', (work) => changeFilter(work, i, ''))} />
          </span>
        ))}
        <Edited
          opened={editing === 'new'}
          onClose={close}
          target={
            <Button size="compact-xs" variant="default" onClick={() => setEditing('new')} title="Write a filter" data-testid="add-filter">
              + Filter
            </Button>
          }
        >
          <FilterEditor
            dataSet={bench.dataSet.id}
            title="Filter: only events for which this holds"
            text=""
            apply="Add"
            onCancel={close}
            onApply={(text) => {
              close();
              bench.change('filter', (work) => withFilter(work, text));
            }}
          />
        </Edited>
        <FacetMenus />
        {filters.length > 0 && (
          <span className="quiet linkbar-kept" title={allKept(left.answer)}>
            {keptInWords(left.answer)}
          </span>
        )}
      </div>
      <div className="linkbar-part linkbar-selection" data-testid="selection">
        {selection === '' ? (
          <span className="quiet linkbar-kept">Nothing is selected: click or drag in a chart</span>
        ) : (
          <>
            <span className="bar-label">Selected</span>
            <span className="chip chip-selection">
              <Edited
                opened={editing === 'selection'}
                onClose={close}
                target={
                  <UnstyledButton className="chip-name" title={`${inTitle(selection)}\n(click to change it)`} onClick={() => setEditing('selection')} data-testid="selection-words">
                    {words}
                  </UnstyledButton>
                }
              >
                <FilterEditor
                  dataSet={bench.dataSet.id}
                  title="Selection: what this holds for"
                  text={selection}
                  apply="Select"
                  onCancel={close}
                  onApply={(text) => {
                    close();
                    bench.select(text, 'replace');
                  }}
                />
              </Edited>
            </span>
            <span className={`linkbar-kept ${error ? 'error' : 'quiet'}`} title={error || allKept(kept.answer)} data-testid="selection-kept" role="status">
              {error || keptInWords(kept.answer)}
            </span>
            <Button size="compact-xs" onClick={onFilterTo} title="Show only what is selected (f)" data-testid="filter-to">
              Filter to it
            </Button>
            <Button size="compact-xs" variant="default" onClick={onExclude} title="Show all but what is selected (x)" data-testid="exclude">
              Exclude it
            </Button>
            <Button size="compact-xs" variant="default" onClick={onColour} title="Give it a colour in all charts (g)" data-testid="colour-it">
              Colour it
            </Button>
            <Button size="compact-xs" variant="default" onClick={onClear} title="Select nothing (Esc)" data-testid="clear-selection">
              Clear
            </Button>
          </>
        )}
      </div>
    </section>
  );
});

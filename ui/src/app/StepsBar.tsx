// The bar of steps (the pipeline as chips that can be taken away) and of the view's controls.
import { Button, CloseButton, NumberInput, Popover } from '@mantine/core';
import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import type { StepName } from '../api/useStepNames';
import type { Scene } from '../gen/cambium/v1/workbench_pb';
import { FilterEditor } from '../panels/FilterEditor';
import { inTitle, inWords, LONGEST } from '../state/filters';
import { FILTER, canMove, changeFilterStep, compactionInWords, depthOf, hasStep, moveStep, parseSteps, removeStep, toggleStep, withCompaction, withFilterStep, type Depth, type Step } from '../state/steps';
import { StepChip } from './StepChip';
import { useEdges } from './useEdges';

interface Props {
  dataSet: string;
  steps: readonly Step[];
  /** The filters of all charts, which come before all steps. */
  filters: readonly string[];
  /** What was shown last: it knows what steps do not do. */
  scene: Scene | undefined;
  names: ReadonlyMap<string, StepName>;
  /** How many are shown, and how many there are. */
  layers: number;
  maxLayers: number;
  /** The chart compacts by itself, and shows all layers. */
  compacts: boolean;
  /** What is said of a change, to undo it. */
  onSteps: (what: string, steps: Step[]) => void;
  onFilter: (at: number, text: string) => void;
  /** Moves a filter of all charts to this one's steps, or one of these to all charts. */
  onFilterHere: (at: number) => void;
  onFilterEverywhere: (step: number) => void;
  onDepth: (depth: Depth) => void;
  children: ReactNode;
}

function nameOfStep(step: Step, names: ReadonlyMap<string, StepName>): { word: string; name: string; full: string } {
  if (step.op === 'norec') return { word: 'no recursion', name: '', full: 'recursion eliminated' };
  if (step.op === 'bymethod') return { word: 'per method', name: '', full: 'calling contexts discarded, one node per method' };
  if (step.op === 'compact') return { word: 'compact', name: compactionInWords(step.arg), full: 'contexts are merged into classes and packages, each part at its own level' };
  if (step.op === FILTER) return { word: 'filter', name: inWords(step.arg), full: `what the events reached for which this holds: ${inTitle(step.arg)}` };
  if (step.op !== 'focus') return { word: step.op, name: step.arg, full: `${step.op} ${step.arg}` };
  const name = names.get(step.arg);
  return { word: 'focus', name: name?.short ?? '…', full: name?.full ?? `context ${step.arg}` };
}

/** For how many pixels of steps the settings make room, by going to a line of their own. That depends on how many steps
 * there are and not on how wide they happen to be: names come late, and a chart must not move when they do. */
function roomFor(steps: number): number {
  return 400 + 110 * Math.max(0, steps - 1);
}

/** What a step does not do, if the picture is that of this step. */
function noteOf(scene: Scene | undefined, at: number, step: Step) {
  const note = scene?.stepNotes.find((n) => n.step === at);
  const shown = note && parseSteps(scene?.steps ?? '')[at];
  return shown?.op === step.op && shown.arg === step.arg ? note : undefined;
}

export const StepsBar = memo(function StepsBar({ dataSet, steps, filters, scene, names, layers, maxLayers, compacts, onSteps, onFilter, onFilterHere, onFilterEverywhere, onDepth, children }: Props) {
  const explicitDepth = hasStep(steps, 'depth');
  const depth = compacts && !explicitDepth ? 'all' : depthOf(steps);
  const [adding, setAdding] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const edges = useEdges(list);
  useEffect(() => {
    // The newest step is what somebody wants to see.
    list.current?.querySelector('[data-step]:nth-last-child(1 of [data-step])')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [steps]);
  return (
    <section className="bar bar-wrapped" aria-label="Steps and settings">
      <div className="bar-pipeline" style={{ flexBasis: roomFor(filters.length + steps.filter((s) => s.op !== 'depth').length) }} data-testid="pipeline">
        <span className="bar-label">Steps</span>
        <div className="bar-group bar-steps" data-testid="steps" ref={list} {...edges}>
          {filters.map((filter, i) => (
            <StepChip
              key={filter}
              op="shared-filter"
              word="filter"
              name={inWords(filter)}
              full={`In all charts, before all steps: ${inTitle(filter)}`}
              editor={(close) => (
                <FilterEditor
                  dataSet={dataSet}
                  title="Filter of all charts: only events for which this holds"
                  text={filter}
                  apply="Apply"
                  onCancel={close}
                  onApply={(text) => {
                    close();
                    onFilter(i, text);
                  }}
                  more={
                    filter.length > LONGEST
                      ? undefined // an address could not hold it
                      : {
                          words: 'Only in this chart',
                          run: () => {
                            close();
                            onFilterHere(i);
                          },
                        }
                  }
                />
              )}
              onRemove={() => onFilter(i, '')}
            />
          ))}
          {steps.map((step, i) => {
            if (step.op === 'depth') return null;
            const { word, name, full } = nameOfStep(step, names);
            return (
              <StepChip
                key={`${step.op} ${step.op === FILTER ? step.arg : steps.filter((s, j) => j < i && s.op === step.op).length}`}
                op={step.op}
                word={word}
                name={name}
                full={full}
                note={noteOf(scene, i, step)}
                editor={
                  step.op === FILTER
                    ? (close) => (
                        <FilterEditor
                          dataSet={dataSet}
                          title="Filter as a step of this chart: only what events reached for which this holds"
                          text={step.arg}
                          apply="Apply"
                          onCancel={close}
                          onApply={(text) => {
                            close();
                            onSteps('change a filter', changeFilterStep(steps, i, text));
                          }}
                          more={{
                            words: 'In all charts',
                            run: () => {
                              close();
                              onFilterEverywhere(i);
                            },
                          }}
                        />
                      )
                    : undefined
                }
                onRemove={() => onSteps(`remove the step ${word}`, removeStep(steps, i))}
                room={{ before: canMove(steps, i), after: canMove(steps, i + 1) }}
                onMove={(by) => onSteps('move a step', moveStep(steps, i, i + by))}
                place={i}
                onDrop={(from, to) => onSteps('move a step', moveStep(steps, from, to))}
              />
            );
          })}
          <Popover opened={adding} onChange={(now) => !now && setAdding(false)} position="bottom-start" withinPortal trapFocus shadow="md" width={380} transitionProps={{ duration: 0 }} offset={4}>
            <Popover.Target>
              <Button size="compact-xs" variant="default" title="Keep what some events reached, in this chart, after the steps so far" data-testid="add-filter-step" onClick={() => setAdding(true)}>
                + Filter here
              </Button>
            </Popover.Target>
            <Popover.Dropdown p={12}>
              <FilterEditor
                dataSet={dataSet}
                title="Filter as a step of this chart: only what events reached for which this holds"
                text=""
                apply="Add"
                onCancel={() => setAdding(false)}
                onApply={(text) => {
                  setAdding(false);
                  onSteps('filter', withFilterStep(steps, text));
                }}
              />
            </Popover.Dropdown>
          </Popover>
          {!hasStep(steps, 'norec') && (
            <Button size="compact-xs" variant="default" title="Eliminate recursion (r)" data-testid="norec" onClick={() => onSteps('eliminate recursion', toggleStep(steps, 'norec'))}>
              + No recursion
            </Button>
          )}
          {!hasStep(steps, 'bymethod') && (
            <Button size="compact-xs" variant="default" title="Discard calling contexts: one node per method" data-testid="bymethod" onClick={() => onSteps('discard contexts', toggleStep(steps, 'bymethod'))}>
              + Per method
            </Button>
          )}
          {!compacts && !hasStep(steps, 'compact') && (
            <Button size="compact-xs" variant="default" title="Merge contexts into packages; then expand what matters (e, or the right button)" data-testid="compact" onClick={() => onSteps('compact', withCompaction(steps))}>
              + Compact
            </Button>
          )}
        </div>
        <div className="bar-group">
          <span className="chip" data-testid="depth" title={maxLayers > 0 ? `There are ${maxLayers} layers below this root` : undefined}>
            <label htmlFor="depth-input">depth</label>
            <NumberInput
              id="depth-input"
              data-testid="depth-input"
              size="xs"
              variant="unstyled"
              w={44}
              min={1}
              max={100_000}
              allowDecimal={false}
              allowNegative={false}
              hideControls
              placeholder="all"
              value={depth === 'all' ? '' : depth === 'auto' ? layers : depth}
              styles={{ input: { textAlign: 'center', height: 24, minHeight: 24, fontVariantNumeric: 'tabular-nums' } }}
              onChange={(value) => {
                if (typeof value === 'number' && value >= 1) onDepth(value);
              }}
            />
            <Button size="compact-xs" variant="subtle" onClick={() => onDepth(depth === 'all' ? 'auto' : 'all')} aria-pressed={depth === 'all'} title={depth === 'all' ? 'Only some layers, beyond where the tree first forks' : 'Every layer there is'}>
              {depth === 'all' ? 'fewer' : 'all'}
            </Button>
            {explicitDepth && (
              <CloseButton size="xs" radius="xl" aria-label="Remove the step depth" onClick={() => onDepth('auto')} />
            )}
          </span>
        </div>
      </div>
      <div className="bar-group bar-end">{children}</div>
    </section>
  );
});

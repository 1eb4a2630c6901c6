// The bar of steps (the pipeline as chips that can be taken away) and of the view's controls.
import { Button, CloseButton, NumberInput } from '@mantine/core';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import type { StepName } from '../api/useStepNames';
import { compactionInWords, canMove, depthOf, hasStep, moveStep, removeStep, toggleStep, withCompaction, withDepth, type Depth, type Step } from '../state/steps';
import { useEdges } from './useEdges';

interface Props {
  steps: readonly Step[];
  names: ReadonlyMap<string, StepName>;
  /** How many are shown, and how many there are. */
  layers: number;
  maxLayers: number;
  /** The chart compacts by itself, and shows all layers. */
  compacts: boolean;
  onSteps: (steps: Step[]) => void;
  onDepth: (depth: Depth) => void;
  children: ReactNode;
}

function nameOfStep(step: Step, names: ReadonlyMap<string, StepName>): { word: string; name: string; full: string } {
  if (step.op === 'norec') return { word: 'no recursion', name: '', full: 'recursion eliminated' };
  if (step.op === 'bymethod') return { word: 'per method', name: '', full: 'calling contexts discarded, one node per method' };
  if (step.op === 'compact') return { word: 'compact', name: compactionInWords(step.arg), full: 'contexts are merged into classes and packages, each part at its own level' };
  if (step.op !== 'focus') return { word: step.op, name: step.arg, full: `${step.op} ${step.arg}` };
  const name = names.get(step.arg);
  return { word: 'focus', name: name?.short ?? '…', full: name?.full ?? `context ${step.arg}` };
}

export const StepsBar = memo(function StepsBar({ steps, names, layers, maxLayers, compacts, onSteps, onDepth, children }: Props) {
  const explicitDepth = hasStep(steps, 'depth');
  const depth = compacts && !explicitDepth ? 'all' : depthOf(steps);
  const list = useRef<HTMLDivElement>(null);
  const edges = useEdges(list);
  useEffect(() => {
    // The newest step is what somebody wants to see.
    list.current?.querySelector('[data-step]:nth-last-child(1 of [data-step])')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [steps]);
  return (
    <section className="bar" aria-label="Steps and settings">
      <span className="bar-label">Steps</span>
      <div className="bar-group bar-steps" data-testid="steps" ref={list} {...edges}>
        {steps.map((step, i) => {
          if (step.op === 'depth') return null;
          const { word, name, full } = nameOfStep(step, names);
          return (
            <span className="chip" key={`${step.op}${step.arg}`} title={full} data-step={step.op}>
              {canMove(steps, i) && (
                <button type="button" className="chip-move" aria-label={`Move the step ${word} ${name} before the one before it`} title="Before the step before it" onClick={() => onSteps(moveStep(steps, i))} data-testid={`move-${step.op}`}>
                  ‹
                </button>
              )}
              <span className="chip-name">
                {word} {name !== '' && <span className="code">{name}</span>}
              </span>
              <CloseButton size="xs" radius="xl" aria-label={`Remove the step ${word} ${name}`.trimEnd()} onClick={() => onSteps(removeStep(steps, i))} />
            </span>
          );
        })}
        {!hasStep(steps, 'norec') && (
          <Button size="compact-xs" variant="default" title="Eliminate recursion (r)" data-testid="norec" onClick={() => onSteps(toggleStep(steps, 'norec'))}>
            + No recursion
          </Button>
        )}
        {!hasStep(steps, 'bymethod') && (
          <Button size="compact-xs" variant="default" title="Discard calling contexts: one node per method" data-testid="bymethod" onClick={() => onSteps(toggleStep(steps, 'bymethod'))}>
            + Per method
          </Button>
        )}
        {!compacts && !hasStep(steps, 'compact') && (
          <Button size="compact-xs" variant="default" title="Merge contexts into packages; then expand what matters (e, or the right button)" data-testid="compact" onClick={() => onSteps(withCompaction(steps))}>
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
            <CloseButton size="xs" radius="xl" aria-label="Remove the step depth" onClick={() => onSteps(withDepth(steps, 'auto'))} />
          )}
        </span>
      </div>
      <div className="bar-group bar-end">{children}</div>
    </section>
  );
});

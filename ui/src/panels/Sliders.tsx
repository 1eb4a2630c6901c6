// Sliders below a chart whose settings are parts of something: what they do is seen while they
// are moved.
import { Slider } from '@mantine/core';
import { useId, useRef } from 'react';
import { Parameter_Type, type View } from '../gen/cambium/v1/workbench_pb';
import { changePanel, type PanelSpec } from '../state/work';
import { useBench } from './bench';

export function Sliders({ panel, view }: { panel: PanelSpec; view: View }) {
  const bench = useBench();
  const parts = view.parameters.filter((p) => p.type === Parameter_Type.NUMBER && p.max <= 1);
  return (
    <div className="sliders" role="group" aria-label="Settings to slide" data-testid={`sliders-${panel.id}`}>
      {parts.map((p) => {
        const set = (value: number) => ({ params: { ...panel.params, [p.name]: String(value) } });
        return (
          <Sliding
            key={p.name}
            label={p.title || p.name}
            title={p.description}
            name={p.name}
            min={p.min}
            max={p.max}
            value={Number(panel.params[p.name] ?? p.defaultValue)}
            onStart={(value) => bench.change('change a setting', (work) => changePanel(work, panel.id, set(value)))}
            onMove={(value) => bench.amend((work) => changePanel(work, panel.id, set(value)))}
          />
        );
      })}
    </div>
  );
}

interface SlidingProps {
  label: string;
  title: string;
  name: string;
  min: number;
  max: number;
  value: number;
  /** The first change of a move, which is a step of undoing. */
  onStart: (value: number) => void;
  onMove: (value: number) => void;
}

function Sliding({ label, title, name, min, max, value, onStart, onMove }: SlidingProps) {
  const moving = useRef(false);
  const id = useId();
  return (
    <div className="sliding" title={title}>
      <span id={id}>{label}</span>
      <Slider
        size="xs"
        min={min}
        max={max}
        step={0.01}
        value={value}
        label={null}
        aria-labelledby={id}
        thumbLabel={label}
        data-testid={`slide-${name}`}
        onChange={(next) => {
          const rounded = Math.round(next * 100) / 100;
          if (rounded === value) return;
          if (moving.current) onMove(rounded);
          else onStart(rounded);
          moving.current = true;
        }}
        onChangeEnd={() => (moving.current = false)}
      />
      <output>{value.toFixed(2)}</output>
    </div>
  );
}

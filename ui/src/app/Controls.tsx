// The view's parameters as controls, built from its definition.
import { NumberInput, SegmentedControl, Select, Switch } from '@mantine/core';
import { memo, useId } from 'react';
import { choosable } from '../state/compared';
import { isOffered } from '../panels/offered';
import { Parameter_Type, type Metric, type Parameter } from '../gen/cambium/v1/workbench_pb';

interface Props {
  parameters: readonly Parameter[];
  metrics: readonly Metric[];
  metric: string;
  values: Readonly<Record<string, string>>;
  onMetric: (metric: string) => void;
  onValue: (name: string, value: string) => void;
}

/** Whether few and short choices stand better side by side than in a list. */
function isShort(parameter: Parameter): boolean {
  const letters = parameter.choices.reduce((sum, c) => sum + c.title.length, 0);
  return parameter.choices.length <= 3 && letters <= 22;
}

export const Controls = memo(function Controls({ parameters, metrics, metric, values, onMetric, onValue }: Props) {
  return (
    <>
      <Choice
        label="Metric"
        testId="metric"
        title="Which numbers the picture shows (m)"
        data={choosable(metrics).map((m) => ({ value: m.name, label: m.name }))}
        value={metric}
        onChange={onMetric}
      />
      {parameters
        .filter((p) => !(p.name === 'metric' && p.type === Parameter_Type.METRIC) && isOffered(p, values))
        .map((p) => (
          <Control key={p.name} parameter={p} metrics={metrics} value={values[p.name] ?? p.defaultValue} onChange={(value) => onValue(p.name, value)} />
        ))}
    </>
  );
});

function Control({ parameter, metrics, value, onChange }: { parameter: Parameter; metrics: readonly Metric[]; value: string; onChange: (value: string) => void }) {
  const id = useId();
  const label = parameter.title || parameter.name;
  switch (parameter.type) {
    case Parameter_Type.CHOICE:
      if (isShort(parameter)) {
        return (
          <span className="control" title={parameter.description}>
            <span className="bar-label" id={id}>
              {label}
            </span>
            <SegmentedControl size="xs" withItemsBorders={false} transitionDuration={0} aria-labelledby={id} data={parameter.choices.map((c) => ({ value: c.value, label: c.title || c.value }))} value={value} onChange={onChange} data-testid={`param-${parameter.name}`} />
          </span>
        );
      }
      return <Choice label={label} testId={`param-${parameter.name}`} title={parameter.description} data={parameter.choices.map((c) => ({ value: c.value, label: c.title || c.value }))} value={value} onChange={onChange} />;
    case Parameter_Type.METRIC:
      return <Choice label={label} testId={`param-${parameter.name}`} title={parameter.description} data={[{ value: '', label: 'automatic' }, ...metrics.map((m) => ({ value: m.name, label: m.name }))]} value={value} onChange={onChange} />;
    case Parameter_Type.BOOL:
      return <Switch size="xs" label={label} title={parameter.description} checked={value === 'true'} onChange={(event) => onChange(event.currentTarget.checked ? 'true' : 'false')} data-testid={`param-${parameter.name}`} />;
    case Parameter_Type.NUMBER:
      return (
        <span className="control" title={parameter.description}>
          <label className="bar-label" htmlFor={id}>
            {label}
          </label>
          <NumberInput id={id} size="xs" w={70} min={parameter.min} max={parameter.max} value={Number(value)} onChange={(v) => v !== '' && Number.isFinite(Number(v)) && onChange(String(v))} data-testid={`param-${parameter.name}`} />
        </span>
      );
    default:
      return null;
  }
}

function Choice({ label, title, data, value, onChange, testId }: { label: string; title: string; data: { value: string; label: string }[]; value: string; onChange: (value: string) => void; testId: string }) {
  const id = useId();
  if (data.length < 2) {
    return (
      <span className="control" title="There is only this one" data-testid={testId}>
        <span className="bar-label">{label}</span>
        <span className="only">{data[0]?.label ?? 'none'}</span>
      </span>
    );
  }
  const longest = Math.max(6, ...data.map((d) => d.label.length));
  return (
    <span className="control" title={title}>
      <label className="bar-label" htmlFor={id}>
        {label}
      </label>
      <Select
        id={id}
        size="xs"
        w={`${Math.min(24, longest * 0.56 + 3)}em`}
        data={data}
        value={value}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 }, width: 'max-content', position: 'bottom-end' }}
        onChange={(v) => v !== null && onChange(v)}
        data-testid={testId}
      />
    </span>
  );
}

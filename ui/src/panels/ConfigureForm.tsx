// The form of a chart of events, made from its definition: it offers only what fits.
import { CloseButton, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../api/context';
import { isAbort, wordsOf } from '../api/errors';
import { isOffered } from './offered';
import { formatCount } from '../format/numbers';
import { Parameter_Type, type DimensionForm, type FieldChoice, type GetFormResponse, type Parameter, type View } from '../gen/cambium/v1/workbench_pb';
import { useStore } from '../state/hover';
import { changePanel, followOrder, type PanelSpec } from '../state/work';
import { useBench } from './bench';
import { useForm } from './useForm';

const INSIDE = { withinPortal: false, transitionProps: { duration: 0 } } as const;

export function ConfigureForm({ panel, view, onClose }: { panel: PanelSpec; view: View; onClose: () => void }) {
  const bench = useBench();
  const client = useClient();
  const [problem, setProblem] = useState('');
  const form = useForm(bench.dataSet.id, panel.view, panel.subject, panel.map);
  const picture = useStore(bench.visualizer.picture(panel.id));
  const map: Record<string, string> = { ...form.answer?.map, ...panel.map };
  const change = (what: string, next: Partial<PanelSpec>) => bench.change(what, (work) => changePanel(work, panel.id, next));

  // A choice can rule out what other dimensions have; then those get other fields if there are any.
  async function choose(dimension: string, field: string) {
    setProblem('');
    const ask = (map: Record<string, string>) => client.getForm({ dataSet: bench.dataSet.id, view: panel.view, subject: panel.subject, map });
    try {
      const wanted = { ...map, [dimension]: field };
      const all = await ask(wanted);
      const alone = all.problem === '' ? all : await ask({ [dimension]: field });
      const fits: GetFormResponse = alone.problem === '' ? alone : all;
      if (fits.problem !== '') setProblem(fits.problem);
      else {
        bench.glance(panel.id, { rows: undefined, columns: undefined, period: undefined });
        change('choose other fields', { map: { ...fits.map, [dimension]: field } });
      }
    } catch (error) {
      if (!isAbort(error)) setProblem(wordsOf(error));
    }
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    // Esc closes the list that is open first.
    if (event.key === 'Escape' && (event.target as Element).getAttribute('aria-expanded') !== 'true') onClose();
    event.stopPropagation();
  };
  const words = problem || form.error || (picture.error !== '' ? picture.error : '');
  return (
    <div className="configure" role="dialog" aria-label={`Configure ${bench.titleOf(panel)}`} data-testid={`configure-form-${panel.id}`} onKeyDown={onKeyDown}>
      <div className="configure-head">
        <h2>Configure</h2>
        <CloseButton size="sm" aria-label="Close the form" title="Close (Esc)" onClick={onClose} />
      </div>
      {words !== '' && (
        <p className="configure-problem" role="alert">
          {words}
        </p>
      )}
      <TextInput size="xs" label="Title" placeholder={bench.titleOf({ ...panel, title: '' })} defaultValue={panel.title} data-autofocus onBlur={(event) => event.currentTarget.value.trim() !== panel.title && change('rename the chart', { title: event.currentTarget.value.trim() })} data-testid="form-title" />
      {form.answer && (
        <>
          {form.answer.subjects.length > 0 && <Select
            size="xs"
            label="Events"
            comboboxProps={INSIDE}
            allowDeselect={false}
            data={form.answer.subjects.map((s) => ({ value: s.name, label: `${s.name} (${formatCount(s.rows)})` }))}
            value={form.answer.subject}
            description={form.answer.subjects.find((s) => s.name === form.answer?.subject)?.description}
            onChange={(subject) => {
              if (subject === null || subject === form.answer?.subject) return;
              bench.glance(panel.id, { rows: undefined, columns: undefined, period: undefined });
              change('show other events', { subject, map: {}, sort: {} });
            }}
            data-testid="form-subject"
          />}
          {view.dimensions.map((dimension) => (
            <DimensionField
              key={dimension.name}
              title={dimension.title || dimension.name}
              name={dimension.name}
              description={dimension.description}
              optional={dimension.optional}
              form={form.answer?.dimensions.find((d) => d.name === dimension.name)}
              value={map[dimension.name] ?? ''}
              onChoose={(field) => void choose(dimension.name, field)}
              panel={panel}
              view={view}
            />
          ))}
          {form.answer.parameters
            .filter((p) => isOffered(p, { ...picture.params, ...panel.params }))
            .map((p) => (
              <ParameterField key={p.name} parameter={p} value={panel.params[p.name] ?? p.defaultValue} onChange={(value) => change('change a setting', { params: { ...panel.params, [p.name]: value } })} />
            ))}
        </>
      )}
      {!form.answer && form.error === '' && <p className="note">Reading …</p>}
    </div>
  );
}

function fieldItems(fields: readonly FieldChoice[], optional: boolean) {
  const item = (f: FieldChoice) => ({ value: f.name, label: f.unit !== '' && f.unit !== f.name ? `${f.name} (${f.unit})` : f.name });
  const direct = fields.filter((f) => !f.indirect).map(item);
  const indirect = fields.filter((f) => f.indirect).map(item);
  const none = optional ? [{ value: '', label: 'nothing' }] : [];
  if (indirect.length === 0) return [...none, ...direct];
  return [...none, { group: 'Of the events', items: direct }, { group: 'Through what they refer to', items: indirect }];
}

interface DimensionProps {
  title: string;
  name: string;
  description: string;
  optional: boolean;
  form: DimensionForm | undefined;
  value: string;
  onChoose: (field: string) => void;
  panel: PanelSpec;
  view: View;
}

function DimensionField({ title, name, description, optional, form, value, onChoose, panel, view }: DimensionProps) {
  const bench = useBench();
  const fields = form?.fields ?? [];
  const field = fields.find((f) => f.name === value);
  const refers = field?.refers ?? '';
  return (
    <div className="configure-dimension">
      <Select
        size="xs"
        label={title}
        description={description}
        comboboxProps={INSIDE}
        allowDeselect={false}
        searchable={fields.length > 8}
        data={fieldItems(fields, optional)}
        value={value}
        onChange={(next) => next !== null && next !== value && onChoose(next)}
        data-testid={`form-${name}`}
      />
      {refers !== '' && (
        <div className="configure-sort">
          <Select
            size="xs"
            aria-label={`Sort ${title} by`}
            leftSection={<span className="bar-label">by</span>}
            comboboxProps={INSIDE}
            allowDeselect={false}
            disabled={panel.like !== ''}
            data={bench.catalog.schemes.map((s) => ({ value: s.name, label: s.title || s.name }))}
            value={panel.sort[name] ?? (view.sort || bench.catalog.schemes[0]?.name)}
            onChange={(scheme) => scheme !== null && bench.change('sort', (work) => changePanel(work, panel.id, { sort: { ...panel.sort, [name]: scheme } }))}
            data-testid={`form-sort-${name}`}
          />
          <Follow panel={panel} />
        </div>
      )}
    </div>
  );
}

/** Whose order a chart follows. */
function Follow({ panel }: { panel: PanelSpec }) {
  const bench = useBench();
  const { panels } = bench.desk.history.now;
  const others = panels.filter((p) => p.id !== panel.id && bench.viewOf(p)?.tree === false);
  if (others.length === 0) return null;
  return (
    <Select
      size="xs"
      aria-label="Follow the order of"
      comboboxProps={INSIDE}
      allowDeselect={false}
      data={[{ value: '', label: 'its own order' }, ...others.map((p) => ({ value: p.id, label: `as in ${bench.titleOf(p)}` }))]}
      value={panel.like}
      onChange={(like) => like !== null && bench.change('follow an order', (work) => (like === '' ? changePanel(work, panel.id, { like }) : followOrder(work, like, [panel.id])))}
      data-testid="form-like"
    />
  );
}

function ParameterField({ parameter, value, onChange }: { parameter: Parameter; value: string; onChange: (value: string) => void }) {
  const bench = useBench();
  const label = parameter.title || parameter.name;
  const common = { size: 'xs' as const, label, description: parameter.description, 'data-testid': `form-param-${parameter.name}` };
  switch (parameter.type) {
    case Parameter_Type.CHOICE:
      return <Select {...common} comboboxProps={INSIDE} allowDeselect={false} data={parameter.choices.map((c) => ({ value: c.value, label: c.title || c.value }))} value={value} onChange={(v) => v !== null && onChange(v)} />;
    case Parameter_Type.METRIC:
      return <Select {...common} comboboxProps={INSIDE} allowDeselect={false} data={[{ value: '', label: 'automatic' }, ...bench.dataSet.metrics.map((m) => ({ value: m.name, label: m.name }))]} value={value} onChange={(v) => v !== null && onChange(v)} />;
    case Parameter_Type.BOOL:
      return <Switch size="xs" label={label} description={parameter.description} checked={value === 'true'} onChange={(event) => onChange(event.currentTarget.checked ? 'true' : 'false')} data-testid={`form-param-${parameter.name}`} />;
    case Parameter_Type.NUMBER:
      return <NumberField key={value} {...common} min={parameter.min} max={parameter.max} value={value} onChange={onChange} />;
    default:
      return <Textarea {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
}

/** A number that counts once it is written, not with every digit: each would be a pass. */
function NumberField({ value, onChange, min, max, ...rest }: { value: string; onChange: (value: string) => void; min: number; max: number; size: 'xs'; label: string; description: string }) {
  const [text, setText] = useState<string | number>(Number(value));
  const done = () => {
    const number = typeof text === 'number' ? text : Number.parseFloat(text);
    if (Number.isFinite(number) && String(number) !== value) onChange(String(Math.min(max, Math.max(min, number))));
  };
  return <NumberInput {...rest} min={min} max={max} thousandSeparator="," value={text} onChange={setText} onBlur={done} onKeyDown={(event) => event.key === 'Enter' && done()} />;
}

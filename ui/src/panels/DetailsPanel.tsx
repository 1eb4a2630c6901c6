// Everything about the context under the pointer, the pinned one, or the root.
import { Button, UnstyledButton } from '@mantine/core';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { Frame, GetContextResponse, MetricValue } from '../gen/cambium/v1/details_pb';
import { Metric_Part, type Metric } from '../gen/cambium/v1/workbench_pb';
import type { SceneRequest } from '../api/useScene';
import { useDetails } from '../api/useDetails';
import { formatCount, formatExact, formatShare, formatValue } from '../format/numbers';
import { hovered, pointed, pointing, useStore } from '../state/hover';
import { Name } from './Name';
import { Side } from './Side';
import { SideTable } from './Sides';

interface Props {
  /** Of the data set. */
  metrics: readonly Metric[];
  /** Of a comparison: what its sides are called, in the order that they are looked at. */
  letters: readonly string[];
  folded: boolean;
  onFold: () => void;
  request: SceneRequest | undefined;
  root: number | undefined;
  rootTitle: string;
  pin: number | undefined;
  unit: string;
  onPin: (id: number | undefined) => void;
  onFocus: (id: number) => void;
  onSelect: (id: number) => void;
}

export const DetailsPanel = memo(function DetailsPanel(props: Props) {
  const { folded, onFold, request, root, pin } = props;
  const under = useStore(hovered);
  const listed = useStore(pointed);
  const [peeked, setPeeked] = useState<number>();
  const [height, setHeight] = useState<number>();
  const head = useRef<HTMLDivElement>(null);
  const id = pin ?? (peeked === undefined ? listed : undefined) ?? under ?? root;
  const { context, error } = useDetails(folded ? undefined : request, id);
  const peek = useDetails(folded || pin !== undefined ? undefined : request, peeked).context;

  // To point at a row of the panel's own lists changes what stands above them, not the lists
  // and not where they are: what the pointer is at must not run away from it.
  const onPeek = useCallback((at: number | undefined) => {
    pointed.set(at);
    setPeeked(at);
    setHeight((now) => (at === undefined ? undefined : (now ?? head.current?.getBoundingClientRect().height)));
  }, []);
  // A row that goes away tells of no pointer that leaves.
  const base = context?.id;
  const latest = useRef(peeked);
  latest.current = peeked;
  useEffect(() => () => void (latest.current !== undefined && onPeek(undefined)), [base, onPeek]);

  const what = pin !== undefined ? 'Pinned' : peek && peeked !== undefined ? 'In the list' : id !== root && listed !== undefined && peeked === undefined ? 'Found' : under !== undefined ? 'Under the pointer' : 'The root';
  return (
    <Side name="Details" folded={folded} onFold={onFold} side="right">
      {error !== '' && (
        <p className="note error" role="alert">
          {error}
        </p>
      )}
      {context && (
        <>
          <div className="details-top" ref={head} style={{ height }}>
            <Head {...props} context={(peeked !== undefined && peek) || context} what={what} />
          </div>
          <Lists context={context} unit={props.unit} onFocus={props.onFocus} onPin={props.onPin} onPeek={onPeek} />
        </>
      )}
      {!context && error === '' && <p className="note">{request ? 'Reading …' : 'Details of a context stand here.'}</p>}
    </Side>
  );
});

function Head({ context, what, metrics, letters, pin, root, rootTitle, onPin, onFocus, onSelect }: Props & { context: GetContextResponse; what: string }) {
  const metricName = context.methodName || context.name || rootTitle || 'the whole';
  const pack = context.packages.join('.');
  const source = context.file === '' ? '' : context.line > 0n ? `${context.file}:${context.line}` : context.file;
  return (
    <>
      <section className="details-head" aria-label="Name">
        <div className="details-what">
          <span className="bar-label">{what}</span>
          {pin === undefined ? (
            <Button size="compact-xs" variant="default" onClick={() => onPin(context.id)} title="Keep this context here (p)">
              Pin
            </Button>
          ) : (
            <Button size="compact-xs" variant="default" onClick={() => onPin(undefined)} title="Let it go (Esc)">
              Unpin
            </Button>
          )}
          {context.id !== root && (
            <Button size="compact-xs" variant="default" onClick={() => onSelect(context.id)} title="Emphasize it in all charts: then filter to it, exclude it or colour it (Space in the chart)" data-testid="details-select">
              Select
            </Button>
          )}
          {context.id !== root && (
            <Button size="compact-xs" variant="default" onClick={() => onFocus(context.id)} title="Enter" data-testid="make-root">
              Make root
            </Button>
          )}
        </div>
        <div className="details-name code" data-testid="details-name" title={context.name}>
          {pack !== '' && <span className="quiet">{pack}.</span>}
          {context.className !== '' && <wbr />}
          {context.className !== '' && `${context.className}.`}
          <wbr />
          <b>{metricName}</b>
        </div>
        {source !== '' && (
          <div className="details-source">
            <span className="bar-label">source</span> <Name name={source} />
          </div>
        )}
        {context.binary !== '' && (
          <div className="details-source">
            <span className="bar-label">binary</span> <Name name={context.binary} />
          </div>
        )}
        <div className="note">
          {formatCount(context.contexts)} {context.contexts === 1n ? 'context' : 'contexts'} in its subtree · layer {formatCount(context.depth)}
          {context.methodContexts > 1n && <> · method occurs {formatCount(context.methodContexts)} times</>}
          {context.merged > 1n && <> · stands for {formatCount(context.merged)} contexts</>}
        </div>
      </section>
      <ComparedMetrics values={context.metrics} metrics={metrics} letters={letters} />
      <Metrics metrics={metrics.some((m) => m.of !== '') ? context.metrics.filter((v) => metrics.find((m) => m.name === v.name)?.of === '') : context.metrics} />
    </>
  );
}

interface ListsProps {
  context: GetContextResponse;
  unit: string;
  onFocus: (id: number) => void;
  onPin: (id: number) => void;
  onPeek: (id: number | undefined) => void;
}

/** The callees and the call stack. */
const Lists = memo(function Lists({ context, ...rest }: ListsProps) {
  return (
    <>
      {context.callees.length > 0 && (
        <section aria-label="Callees">
          <h2>
            Callees <span className="quiet">{BigInt(context.callees.length) < context.calleesTotal ? `${context.callees.length} largest of ${formatCount(context.calleesTotal)}` : formatCount(context.calleesTotal)}</span>
          </h2>
          <FrameList frames={context.callees} bars {...rest} />
        </section>
      )}
      {context.stack.length > 0 && (
        <section aria-label="Call stack">
          <h2>
            Call stack <span className="quiet">deepest first</span>
          </h2>
          <FrameList frames={context.stack} current={context.id} {...rest} />
          {context.stackOmitted > 0n && <p className="note">{formatCount(context.stackOmitted)} frames in the middle are left out.</p>}
        </section>
      )}
    </>
  );
});

/** Metrics of both sides of a comparison: amounts, and shares of the own whole. */
function ComparedMetrics({ values, metrics, letters }: { values: readonly MetricValue[]; metrics: readonly Metric[]; letters: readonly string[] }) {
  const of = (name: string, part: Metric_Part) => values.find((v) => v.name === metrics.find((m) => m.of === name && m.part === part)?.name);
  return metrics
    .filter((m) => m.part === Metric_Part.BOTH)
    .map(({ of: name, unit }) => {
      const sides = [of(name, Metric_Part.A), of(name, Metric_Part.B)];
      const [from, to] = letters[0] === 'A' ? sides : sides.reverse();
      if (!from || !to) return null;
      return (
        <section key={name} aria-label={name}>
          <h3 className="sides-title">{name}</h3>
          <SideTable
            letters={letters}
            unit={unit}
            rows={[
              { name: 'total', from: Number(from.total), to: Number(to.total), share: false },
              { name: 'of all', from: from.totalOfRoot, to: to.totalOfRoot, share: true },
              { name: 'self', from: Number(from.self), to: Number(to.self), share: false },
              { name: 'of all ', from: from.selfOfRoot, to: to.selfOfRoot, share: true },
            ]}
          />
        </section>
      );
    });
}

function Metrics({ metrics }: { metrics: readonly MetricValue[] }) {
  if (metrics.length === 0) return null;
  return (
    <table className="metrics">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Self</th>
          <th scope="col">Total</th>
        </tr>
      </thead>
      {metrics.map((m) => (
        <tbody key={m.name}>
          <tr>
            <th scope="row" title={m.unit}>
              {m.name}
            </th>
            <td className="number" title={formatExact(m.self, m.unit)}>
              {formatValue(m.self, m.unit)}
            </td>
            <td className="number" title={formatExact(m.total, m.unit)}>
              {formatValue(m.total, m.unit)}
            </td>
          </tr>
          <tr className="sub">
            <th scope="row">of the whole</th>
            <td className="number">{formatShare(m.selfOfRoot)}</td>
            <td className="number">{formatShare(m.totalOfRoot)}</td>
          </tr>
          <tr className="sub">
            <th scope="row">of the root here</th>
            <td />
            <td className="number">{formatShare(m.totalOfView)}</td>
          </tr>
          <tr className="sub">
            <th scope="row">of the caller</th>
            <td />
            <td className="number">{formatShare(m.totalOfParent)}</td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}

function FrameList({ frames, unit, bars = false, current, onFocus, onPin, onPeek }: Omit<ListsProps, 'context'> & { frames: readonly Frame[]; bars?: boolean; current?: number }) {
  const most = bars ? frames.reduce((max, f) => (f.total > max ? f.total : max), 1n) : 1n;
  return (
    <ol className="plain">
      {frames.map((frame, i) => (
        // A context can stand twice where recursion was merged.
        <li key={`${frame.id} ${i}`}>
          <UnstyledButton
            className="row result"
            aria-current={frame.id === current ? 'true' : undefined}
            onClick={(event) => (event.shiftKey || event.ctrlKey || event.metaKey ? onPin(frame.id) : onFocus(frame.id))}
            {...pointing(frame.id, onPeek)}
          >
            {bars && <span className="bar-fill" style={{ width: `${(Number(frame.total) / Number(most)) * 100}%` }} />}
            <Name name={frame.name} short={frame.shortName} />
            <span className="number" title={`total ${formatExact(frame.total, unit)}, self ${formatExact(frame.self, unit)}${frame.file === '' ? '' : ` · ${frame.file}${frame.line > 0n ? `:${frame.line}` : ''}`}`}>
              {formatValue(frame.total, unit)}
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ol>
  );
}

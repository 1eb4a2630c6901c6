// What is under the pointer, in a few words.
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { formatCount, formatShare, formatWithUnit } from '../format/numbers';
import { shorten } from '../format/names';
import { nameOf, shortNameOf, type DecodedScene } from '../scene/decode';
import { SideTable } from './Sides';

export interface TooltipAt {
  index: number;
  x: number;
  y: number;
}

export function Tooltip({ scene, at, unit, letters }: { scene: DecodedScene; at: TooltipAt; unit: string; letters: readonly string[] }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const { width, height } = box.getBoundingClientRect();
    const x = at.x + 16 + width > innerWidth ? at.x - 12 - width : at.x + 16;
    const y = at.y + 18 + height > innerHeight ? at.y - 10 - height : at.y + 18;
    box.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  });
  const { sectors, source } = scene;
  const i = at.index;
  const mark = sectors.kind[i] !== 0;
  const total = sectors.total[i];
  const short = shortNameOf(sectors, i) || nameOf(sectors, i);
  const name = shorten(short, short, 64);
  const count = sectors.count[i];
  const { sides } = sectors;
  const rows = sides
    ? [
        { name: 'total', from: sides.total[0][i], to: sides.total[1][i], share: sides.share },
        { name: 'self', from: sides.self[0][i], to: sides.self[1][i], share: sides.share },
      ].filter((row) => !Number.isNaN(row.from))
    : [];
  return createPortal(
    <div className="tooltip" ref={element} role="presentation" data-testid="tooltip">
      {mark ? (
        <strong>{count > 0 ? `${formatCount(count)} contexts, each under a pixel` : 'Contexts under a pixel'}</strong>
      ) : (
        <strong className={name ? 'code' : ''}>{name || source.rootTitle || 'the whole'}</strong>
      )}
      {rows.length > 0 && sides && <SideTable rows={rows} letters={letters} unit={unit} />}
      <div className="tooltip-values">
        <span>{mark ? 'together' : sides ? 'A and B' : 'total'}</span>
        <b>{formatWithUnit(total, unit)}</b>
        <span>of the whole</span>
        <b>{formatShare(total / (sectors.metricTotal || 1))}</b>
        {sectors.rootTotal !== sectors.metricTotal && (
          <>
            <span>of the root</span>
            <b>{formatShare(total / (sectors.rootTotal || 1))}</b>
          </>
        )}
        {!mark && !sides && (
          <>
            <span>self</span>
            <b>{formatWithUnit(sectors.self[i], unit)}</b>
          </>
        )}
        {!mark && count > 1 && (
          <>
            <span>stands for</span>
            <b>{formatCount(count)} contexts</b>
          </>
        )}
      </div>
    </div>,
    document.body,
  );
}

// What is under the pointer, or the keyboard's cursor, in a chart of events.
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { PointResponse } from '../gen/cambium/v1/workbench_pb';

export interface Pointed {
  answer: PointResponse;
  /** In the window. */
  x: number;
  y: number;
}

export function PointTip({ at }: { at: Pointed }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const { width, height } = box.getBoundingClientRect();
    const x = at.x + 16 + width > innerWidth ? at.x - 12 - width : at.x + 16;
    const y = at.y + 18 + height > innerHeight ? at.y - 10 - height : at.y + 18;
    box.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  });
  return createPortal(
    <div className="tooltip" ref={element} role="presentation" data-testid="point-tip">
      <strong className="code">{at.answer.title}</strong>
      <div className="tooltip-values">
        {at.answer.facts.map((fact, i) => (
          // Facts may have the same name.
          // oxlint-disable-next-line react/no-array-index-key
          <Fact key={i} name={fact.name} value={fact.value} />
        ))}
      </div>
    </div>,
    document.body,
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <span>{name}</span>
      <b>{value}</b>
    </>
  );
}

export function inWords(answer: PointResponse): string {
  return [answer.title, ...answer.facts.map((f) => `${f.name} ${f.value}`)].join(', ');
}

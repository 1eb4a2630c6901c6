// The help sheet: the keys, the mouse, and how to search.
import { Kbd } from '@mantine/core';
import type { Action } from './actions';
import { Dialog } from './Dialog';

const MOUSE: readonly [string, string][] = [
  ['Click', 'make the segment the root'],
  ['Click the centre', 'back to the root before'],
  ['Ctrl- or Shift-click', 'pin the context in the details'],
  ['Right click', 'more, such as selecting'],
  ['Wheel', 'more or fewer layers'],
];
const FAN: readonly [string, string][] = [
  ['Click', 'expand the node'],
  ['Right click', 'compact it'],
  ['Alt-click, Shift-right click', 'more: its package, levels, everything'],
  ['Wheel, drag', 'zoom, move'],
];
const CHARTS: readonly [string, string][] = [
  ['Click, drag', 'select; on an axis, what is along it'],
  ['… with Shift', 'add to the selection'],
  ['… with Alt', 'take out of it'],
  ['… with Ctrl', 'only what is in both'],
  ['Wheel', 'zoom; Shift: across only, Alt: up only; on an axis: that one'],
  ['Middle drag', 'move what is shown'],
  ['Double-click', 'show all'],
];
const CHART_KEYS: readonly [string, string][] = [
  ['← ↑ ↓ →', 'move a cursor; with Shift, widen it'],
  ['Space', 'select; Shift, Alt and Ctrl as above'],
  ['W S A D', 'zoom and move across'],
  ['+ −', 'zoom'],
  ['PgUp PgDn', 'move up and down'],
  ['0', 'show all'],
];
const FOCUS_KEYS: readonly [string, string][] = [
  ['Enter', 'draw a focus'],
  ['← →', 'move it; with Shift, its end'],
  ['PgUp PgDn', 'move it by its length'],
  ['Home End', 'to the ends of the trace'],
  ['+ −', 'smaller, larger'],
  ['Esc', 'all of the trace'],
];
const TABS: readonly [string, string][] = [
  ['Drag a tab', 'dock the chart elsewhere'],
  ['F2, Delete', 'rename, close (on a tab)'],
];
const SEARCH: readonly [string, string][] = [
  ['text', 'in the name'],
  ['"two words"', 'with blanks'],
  ['/get.*Name/', 'a regular expression'],
  ['package:xml', 'in the package; class: and method: likewise'],
  ['self>5%', 'by share of the whole; total> and parent>= likewise'],
  ['total>1000', 'by value'],
];
const ARROWS: readonly [string, string][] = [
  ['↑', 'to the caller'],
  ['↓', 'to the largest callee'],
  ['← →', 'to the neighbour'],
];

function Rows({ rows, kbd = false }: { rows: readonly [string, string][]; kbd?: boolean }) {
  return (
    <table className="help-table">
      <tbody>
        {rows.map(([what, does]) => (
          <tr key={what}>
            <td>{kbd ? <Kbd>{what}</Kbd> : <span className="code">{what}</span>}</td>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Help({ list, opened, onClose }: { list: readonly Action[]; opened: boolean; onClose: () => void }) {
  const keys = list.filter((a) => a.shown !== '').map((a): [string, string] => [a.shown, a.title]);
  return (
    <Dialog title="Help" wide opened={opened} onClose={onClose}>
      <div className="help">
        <section>
          <h3>Keys</h3>
          <Rows rows={keys} kbd />
        </section>
        <section>
          <h3>Mouse: ring chart</h3>
          <Rows rows={MOUSE} />
          <h3>Mouse: fan</h3>
          <Rows rows={FAN} />
          <h3>Mouse: charts of events</h3>
          <Rows rows={CHARTS} />
          <h3>Tabs</h3>
          <Rows rows={TABS} />
        </section>
        <section>
          <h3>In the ring (Tab to it)</h3>
          <Rows rows={[...ARROWS, ['Space', 'select']]} kbd />
          <h3>In charts of events (Tab to them)</h3>
          <Rows rows={CHART_KEYS} kbd />
          <h3>Focus of two traces (Tab to one)</h3>
          <Rows rows={FOCUS_KEYS} kbd />
          <h3>Search: all terms must hold</h3>
          <Rows rows={SEARCH} />
        </section>
      </div>
    </Dialog>
  );
}

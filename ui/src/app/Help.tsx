// The help sheet: the keys, the mouse, and how to search.
import { Kbd } from '@mantine/core';
import type { Action } from './actions';
import { Dialog } from './Dialog';

const MOUSE: readonly [string, string][] = [
  ['Click', 'make the segment the root'],
  ['Click the centre', 'back to the root before'],
  ['Ctrl- or Shift-click', 'pin the context in the details'],
  ['Wheel', 'more or fewer layers'],
  ['Drop a file', 'open it'],
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
          <h3>Mouse</h3>
          <Rows rows={MOUSE} />
          <h3>In the chart (Tab to it)</h3>
          <Rows rows={ARROWS} kbd />
          <h3>Search: all terms must hold</h3>
          <Rows rows={SEARCH} />
        </section>
      </div>
    </Dialog>
  );
}

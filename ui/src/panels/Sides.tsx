// What something was on either side of a comparison, and how that changed.
import { formatShare, formatValue } from '../format/numbers';
import { formatChange } from '../state/compared';

export interface SideRow {
  name: string;
  from: number;
  to: number;
  /** They are shares of the own whole. */
  share: boolean;
}

interface Props {
  rows: readonly SideRow[];
  /** The letters of the sides, in the order that they are looked at. */
  letters: readonly string[];
  unit: string;
}

export function SideTable({ rows, letters, unit }: Props) {
  const text = (value: number, share: boolean) => (share ? formatShare(Math.abs(value)) : formatValue(Math.abs(value), unit));
  const signed = (value: number, share: boolean) => `${value > 0 ? '+' : value < 0 ? '-' : ''}${text(value, share)}`;
  return (
    <table className="metrics sides" data-testid="sides">
      <thead>
        <tr>
          <td />
          {letters.map((letter) => (
            <th scope="col" key={letter}>
              {letter}
            </th>
          ))}
          <th scope="col">{`${letters[1]} − ${letters[0]}`}</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, from, to, share }) => (
          <tr key={name} className={share ? 'sub' : undefined}>
            <th scope="row">{name}</th>
            <td className="number">{from < 0 ? signed(from, share) : text(from, share)}</td>
            <td className="number">{to < 0 ? signed(to, share) : text(to, share)}</td>
            <td className="number">{signed(to - from, share)}</td>
            <td className="number">{formatChange(from, to)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

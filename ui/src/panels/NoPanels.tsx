// What stands in place of panels when all of them are closed.
import { AddChart } from './AddChart';

export function NoPanels() {
  return (
    <div className="state" data-testid="no-panels">
      <h2>No chart is open</h2>
      <p>Choose one: it shows something at once, and everything about it can be changed later.</p>
      <AddChart />
    </div>
  );
}

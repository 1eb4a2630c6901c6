// Questions of which only the latest counts: one is on its way, the newest waits, and what
// was between them is never asked.
import { isAbort } from './errors';

export class Latest<Q, A> {
  private readonly ask: (question: Q, signal: AbortSignal) => Promise<A>;
  private readonly answered: (answer: A, question: Q) => void;
  private current: AbortController | undefined;
  private waiting: { question: Q } | undefined;

  constructor(ask: (question: Q, signal: AbortSignal) => Promise<A>, answered: (answer: A, question: Q) => void) {
    this.ask = ask;
    this.answered = answered;
  }

  put(question: Q): void {
    if (this.current) {
      this.waiting = { question };
      return;
    }
    const mine = new AbortController();
    this.current = mine;
    this.ask(question, mine.signal)
      .then((answer) => this.current === mine && !mine.signal.aborted && this.answered(answer, question))
      .catch((error: unknown) => {
        // What is asked so often says its errors elsewhere.
        if (!isAbort(error)) console.debug(error);
      })
      .finally(() => {
        if (this.current !== mine) return;
        this.current = undefined;
        const next = this.waiting;
        this.waiting = undefined;
        if (next) this.put(next.question);
      });
  }

  cancel(): void {
    this.waiting = undefined;
    this.current?.abort();
    this.current = undefined;
  }
}

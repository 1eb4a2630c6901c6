// A name of code in one line: cut in its middle where there is no room, whole under the pointer.
import { headAndTail } from '../format/names';

export function Name({ name, short = '', className = '' }: { name: string; short?: string; className?: string }) {
  const shown = short || name;
  const [head, tail] = headAndTail(shown);
  return (
    <span className={`code middle-cut ${className}`} title={name || shown}>
      <span>{head}</span>
      {tail !== '' && <span>{tail}</span>}
    </span>
  );
}

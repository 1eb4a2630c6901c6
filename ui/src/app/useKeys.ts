import { useEffect, useRef } from 'react';
import { isPressable, isTyping, type Action } from './actions';

/** The keys of the page. Nothing happens while a person types or a dialog is open. */
export function useKeys(list: readonly Action[], blocked: boolean): void {
  const latest = useRef({ list, blocked });
  latest.current = { list, blocked };
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const now = latest.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        now.list.find((a) => a.id === 'palette')?.run();
        return;
      }
      if (now.blocked || event.defaultPrevented || event.altKey) return;
      if (isTyping(event.target)) return;
      // Of letters, Shift shows in the key itself.
      const held = event.ctrlKey || event.metaKey ? 'Ctrl+' : event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : '';
      const key = held + event.key;
      if (event.key === 'Enter' && isPressable(event.target)) return;
      const action = now.list.find((a) => a.keys.includes(key));
      if (!action || action.why !== '') return;
      event.preventDefault();
      action.run();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

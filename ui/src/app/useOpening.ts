// Opening files: the chooser, dropped files, and the one that is on its way to the server.
import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../api/errors';
import { upload } from '../api/upload';

export interface Opening {
  /** The file on its way; '' if none. */
  sending: string;
  cancel: () => void;
  error: string;
  forgetError: () => void;
  dragging: boolean;
  open: (files: Iterable<File>) => void;
}

export function useOpening(onOpened: (dataSet: string) => void): Opening {
  const [sending, setSending] = useState('');
  const [error, setError] = useState('');
  const [dragging, setDragging] = useState(false);
  const abort = useRef<AbortController>(undefined);

  const open = useCallback(
    (files: Iterable<File>) => {
      const list = [...files];
      if (list.length === 0) return;
      abort.current?.abort();
      const mine = new AbortController();
      abort.current = mine;
      setError('');
      void (async () => {
        for (const file of list) {
          setSending(file.name);
          try {
            const id = await upload(file, mine.signal);
            if (mine.signal.aborted) return;
            onOpened(id);
          } catch (reason) {
            if (mine.signal.aborted || isAbort(reason)) break;
            setError(`${file.name}: ${reason instanceof Error ? reason.message : String(reason)}`);
          }
        }
        if (abort.current === mine) setSending('');
      })();
    },
    [onOpened],
  );

  useEffect(() => {
    let depth = 0; // dragenter and dragleave come for every element
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth++;
      setDragging(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setDragging(false);
    };
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setDragging(false);
      open(event.dataTransfer?.files ?? []);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, [open]);

  const cancel = useCallback(() => {
    abort.current?.abort();
    setSending('');
  }, []);
  return { sending, cancel, error, forgetError: () => setError(''), dragging, open };
}

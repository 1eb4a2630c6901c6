// Opening files: the chooser, dropped files, and the one that is on its way to the server.
import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../api/errors';
import { upload } from '../api/upload';

export interface Sending {
  name: string;
  size: number;
  /** Which share of it is sent, 0 to 1. */
  share: number;
  /** Which of how many files it is. */
  at: number;
  of: number;
}

export interface Opening {
  /** The file on its way, if any. */
  sending: Sending | undefined;
  cancel: () => void;
  error: string;
  forgetError: () => void;
  dragging: boolean;
  open: (files: Iterable<File>) => void;
}

/** A saved workspace is no larger, and says so in its first letters. */
const WORKSPACE = 16 << 20;

/** The content of a file that is a saved workspace; undefined of any other. */
export async function workspaceIn(file: File): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (file.size === 0 || file.size > WORKSPACE || !/^\s*\{\s*"version"/.test(await file.slice(0, 200).text())) return undefined;
  const content = new Uint8Array(await file.arrayBuffer());
  return /"charts"/.test(new TextDecoder().decode(content)) ? content : undefined;
}

export function useOpening(onOpened: (dataSet: string) => void, onWorkspace: (name: string, content: Uint8Array<ArrayBuffer>) => void): Opening {
  const [sending, setSending] = useState<Sending>();
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
        for (const [i, file] of list.entries()) {
          const tell = (share: number) => abort.current === mine && setSending({ name: file.name, size: file.size, share, at: i + 1, of: list.length });
          tell(0);
          try {
            const workspace = await workspaceIn(file);
            if (workspace) {
              onWorkspace(file.name, workspace);
              continue;
            }
            const id = await upload(file, mine.signal, tell);
            if (mine.signal.aborted) return;
            onOpened(id);
          } catch (reason) {
            if (mine.signal.aborted || isAbort(reason)) break;
            setError(`${file.name}: ${reason instanceof Error ? reason.message : String(reason)}`);
          }
        }
        if (abort.current === mine) setSending(undefined);
      })();
    },
    [onOpened, onWorkspace],
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
    setSending(undefined);
  }, []);
  return { sending, cancel, error, forgetError: () => setError(''), dragging, open };
}

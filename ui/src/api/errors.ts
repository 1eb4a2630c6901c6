// Errors in words.
import { Code, ConnectError } from '@connectrpc/connect';

/** The server's own words, without the code in front. */
export function wordsOf(error: unknown): string {
  if (error instanceof ConnectError) {
    return error.rawMessage || 'The server gave no reason.';
  }
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  if (error instanceof ConnectError) return error.code === Code.Canceled;
  return error instanceof DOMException && error.name === 'AbortError';
}

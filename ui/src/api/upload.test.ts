import { afterEach, expect, test, vi } from 'vitest';
import { upload } from './upload';

/** A request that the test answers. */
class Request {
  static last: Request;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  status = 0;
  responseText = '';
  url = '';
  constructor() {
    Request.last = this;
  }
  open(_: string, url: URL) {
    this.url = url.href;
  }
  send() {}
  abort() {
    this.onabort?.();
    this.onloadend?.();
  }
  answer(status: number, text: string) {
    this.status = status;
    this.responseText = text;
    this.onload?.();
    this.onloadend?.();
  }
}

function start(signal = new AbortController().signal) {
  vi.stubGlobal('XMLHttpRequest', Request);
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1:7171/token/' });
  const shares: number[] = [];
  const done = upload(new File(['abcd'], 'a b.pb.gz'), signal, (share) => shares.push(share));
  return { done, shares, request: Request.last };
}
afterEach(() => vi.unstubAllGlobals());

test('an upload tells its progress and gives the data set', async () => {
  const { done, shares, request } = start();
  expect(request.url).toBe('http://127.0.0.1:7171/token/upload?name=a%20b.pb.gz');
  for (const loaded of [1, 4]) request.upload.onprogress?.({ loaded, total: 4 });
  request.upload.onprogress?.({ loaded: 0, total: 0 });
  request.answer(200, '{"data_set":"d7"}');
  expect(await done).toBe('d7');
  expect(shares).toEqual([0.25, 1, 0]);
});

test('errors are in the words of the server', async () => {
  for (const [status, text, words] of [
    [429, '{"error":"too many"}', 'too many'],
    [500, 'boom', 'boom'],
    [502, '', 'The server answered 502.'],
    [200, '{}', '{}'],
  ] as const) {
    const { done, request } = start();
    request.answer(status, text);
    await expect(done).rejects.toThrow(words);
  }
  const { done, request } = start();
  request.onerror?.();
  await expect(done).rejects.toThrow('broke off');
});

test('an upload can be stopped', async () => {
  const abort = new AbortController();
  const { done } = start(abort.signal);
  abort.abort();
  await expect(done).rejects.toMatchObject({ name: 'AbortError' });
});

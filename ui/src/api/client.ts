// The connection to the server. Every address is relative to the page's own.
import { createClient, type Client, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { Workbench } from '../gen/cambium/v1/workbench_pb';

export type WorkbenchClient = Client<typeof Workbench>;

/** The page's base address without its last slash. */
export function baseUrl(base = document.baseURI): string {
  return new URL('.', base).href.replace(/\/$/, '');
}

export function connect(): WorkbenchClient {
  // Binary, because the columns of a scene would be base64 text in JSON.
  return over(createConnectTransport({ baseUrl: baseUrl(), useBinaryFormat: true }));
}

export function over(transport: Transport): WorkbenchClient {
  return createClient(Workbench, transport);
}

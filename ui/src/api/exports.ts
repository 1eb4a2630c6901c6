// Files that the server writes: pictures and tables of panels.
import { create, toJsonString } from '@bufbuild/protobuf';
import { VisualizeRequestSchema } from '../gen/cambium/v1/workbench_pb';
import type { Wanted } from './visualizer';

export type ExportFormat = 'svg' | 'png' | 'csv';

export interface Written {
  name: string;
  content: Blob;
}

/** The name that an answer says a file should have. */
export function fileName(disposition: string | null, fallback: string): string {
  const star = /filename\*=utf-8''([^;]+)/i.exec(disposition ?? '');
  if (star) return decodeURIComponent(star[1]);
  const plain = /filename="?([^";]+)"?/i.exec(disposition ?? '');
  return plain?.[1] ?? fallback;
}

/** The question of an export: what shows the panel. */
export function exportBody(wanted: Wanted): string {
  return toJsonString(VisualizeRequestSchema, create(VisualizeRequestSchema, { ...wanted, panels: [...wanted.panels] }));
}

/** Throws an error in the server's words. */
export async function writeFile(format: ExportFormat, panel: string, wanted: Wanted): Promise<Written> {
  const answer = await fetch(new URL(`export.${format}?panel=${encodeURIComponent(panel)}`, document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportBody(wanted),
  });
  if (!answer.ok) throw new Error((await answer.text()).trim().slice(0, 500) || `The server answered ${answer.status}.`);
  return { name: fileName(answer.headers.get('content-disposition'), `chart.${format}`), content: await answer.blob() };
}

/** Gives a file to the person, as the browser does it. */
export function download({ name, content }: Written): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

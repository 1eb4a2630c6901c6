// Addresses of what the server exports.
import type { SceneRequest } from './useScene';

export type ExportFormat = 'svg' | 'png' | 'csv';

/** The query of an export, as the server reads it. */
export function exportQuery(request: SceneRequest): string {
  const query = new URLSearchParams({
    data_set: request.dataSet,
    view: request.view,
    steps: request.steps,
    metric: request.metric,
    width: String(request.width),
    height: String(request.height),
  });
  if (request.dark) query.set('dark', '1');
  if (request.highlight) query.set('highlight', request.highlight);
  for (const [key, value] of Object.entries(request.params)) query.set(`p.${key}`, value);
  return query.toString();
}

export function exportUrl(format: ExportFormat, request: SceneRequest): string {
  return new URL(`export.${format}?${exportQuery(request)}`, document.baseURI).href;
}

import type { Parameter } from '../gen/cambium/v1/workbench_pb';

/** Whether a parameter is of use with these values of the others. */
export function isOffered(parameter: Parameter, values: Readonly<Record<string, string>>): boolean {
  const at = parameter.with.indexOf('=');
  return at < 0 || (values[parameter.with.slice(0, at)] ?? '') === parameter.with.slice(at + 1);
}

import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ParameterSchema } from '../gen/cambium/v1/workbench_pb';
import { isOffered } from '../panels/offered';

test('a parameter that goes with a value of another is offered with that value only', () => {
  const by = create(ParameterSchema, { name: 'by', with: 'color=metric' });
  expect(isOffered(by, { color: 'metric' })).toBe(true);
  expect(isOffered(by, { color: 'package' })).toBe(false);
  expect(isOffered(by, {})).toBe(false);
  expect(isOffered(create(ParameterSchema, { name: 'sizing' }), {})).toBe(true);
  expect(isOffered(create(ParameterSchema, { with: 'formula=a=b' }), { formula: 'a=b' })).toBe(true);
});

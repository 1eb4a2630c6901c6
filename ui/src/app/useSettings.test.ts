import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { DataSetSchema, DataSet_State, type DataSet } from '../gen/cambium/v1/workbench_pb';
import { parseAddress } from '../state/address';
import { settingsOf } from './useSettings';

const { READY, READING, FAILED } = DataSet_State;

function sets(...states: DataSet_State[]): DataSet[] {
  return states.map((state, i) => create(DataSetSchema, { id: `d${i + 1}`, state, contexts: 9n, metrics: [{ total: 9n }] }));
}

test('without a data set in the address, the newest one that is not a failure', () => {
  const shown = (list: DataSet[], query = '') => settingsOf(parseAddress(query), undefined, list).dataSet?.id;
  expect(shown(sets(READY, READY, FAILED))).toBe('d2');
  expect(shown(sets(READY, READING, FAILED, FAILED))).toBe('d2');
  expect(shown(sets(FAILED, FAILED))).toBe('d2');
  expect(shown(sets())).toBeUndefined();
  const nothing = create(DataSetSchema, { id: 'd3', state: READY });
  expect(shown([...sets(READY, FAILED), nothing])).toBe('d1');
  expect(shown([...sets(FAILED, FAILED), nothing])).toBe('d3');
  // What the address names is shown, failed or not.
  expect(shown(sets(READY, FAILED), '?ds=d2')).toBe('d2');
});

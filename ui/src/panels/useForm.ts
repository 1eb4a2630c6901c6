// What a data set offers a view, given what is chosen already.
import { keyOf } from '../api/visualizer';
import { useAnswer, type Answer } from '../api/useAnswer';
import type { GetFormResponse } from '../gen/cambium/v1/workbench_pb';

export function useForm(dataSet: string, view: string, subject: string, map: Readonly<Record<string, string>>, asked = true): Answer<GetFormResponse> {
  const question = { dataSet, view, subject, map: { ...map } };
  return useAnswer(asked ? keyOf(question) : '', (client, signal) => client.getForm(question, { signal }));
}

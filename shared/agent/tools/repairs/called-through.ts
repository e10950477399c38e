import { isRecord } from '../../plain/merge.ts';
import type { Repair } from './repair.ts';

/** A call of the tool that calls others is a call of the tool that it names, so people, guards and policies see that one. */
export const calledThrough: Repair = (call, { search }) => {
  if (!search || call.name !== search.call || !isRecord(call.input)) return call;
  const { name, arguments: input = {} } = call.input;
  if (typeof name !== 'string' || name === search.call) return call;
  // The adapters read names in the same way: servers accept nothing else in them.
  return { ...call, name: name.replaceAll(/[^\w-]/g, '_'), input };
};

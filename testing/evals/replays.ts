import { canonicalJson } from '../../shared/agent/plain/hash.ts';
import type { FakeTool } from '../rehearsal.ts';
import type { Fakes } from './define.ts';

/** A recorded call: `result` is its tool's answer, or `error` the reason why it failed. */
export interface RecordedCall {
  readonly name: string;
  /** The input as the tool gets it. */
  readonly input: unknown;
  readonly result?: string;
  readonly error?: string;
}

/**
 * Fakes that answer as the tools of a recorded session did, created for each play. A call with a recorded input gets
 * its result, and the next result if the same input comes again; a call with another input gets an error that lists the
 * recorded ones. Inputs are compared as the tool gets them, with defaults filled in.
 *
 * @example
 * tools: replays([{ name: 'lookup_order', input: { orderId: '7' }, result: '{"state":"sent"}' }])
 */
export function replays(recorded: readonly RecordedCall[]): () => Fakes {
  const names = [...new Set(recorded.map(({ name }) => name))];
  return () =>
    Object.fromEntries(names.map((name) => [name, replay(recorded.filter((one) => one.name === name))]));
}

function replay(recorded: readonly RecordedCall[]): FakeTool {
  const seen = new Map<string, number>();
  return (input) => {
    const key = canonicalJson(input);
    const same = recorded.filter((one) => canonicalJson(one.input) === key);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    const found = same[Math.min(times, same.length - 1)];
    if (!found) {
      const inputs = recorded.map((one) => JSON.stringify(one.input)).join(', ');
      throw new Error(`no such call was recorded. Those that were had: ${inputs.slice(0, 500)}`);
    }
    if (found.error !== undefined) throw new Error(found.error);
    return found.result ?? '';
  };
}

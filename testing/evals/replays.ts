import { canonicalJson } from '../../shared/agent/plain/hash.ts';
import type { FakeTool } from '../rehearse.ts';
import type { Fakes } from './define.ts';

/** A call that was recorded: `result` is what its tool said, or `error` why it failed. */
export interface RecordedCall {
  readonly name: string;
  /** As the tool gets it. */
  readonly input: unknown;
  readonly result?: string;
  readonly error?: string;
}

/**
 * Fakes that answer as the tools of a recorded session did, made anew for each play. A call with an input that was recorded gets its
 * result, and the next one of it when it comes again; one with another input gets an error that says what was recorded. An input is
 * compared as its tool gets it, with defaults filled in.
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

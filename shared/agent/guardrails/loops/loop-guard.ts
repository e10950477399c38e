import { defined } from '../../plain/defined.ts';
import type { BlockCall, Coded, Halt, NotedWarn, Nudge, RuleMetadata, Slice } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import { texts } from '../../texts.ts';
import type { Guard } from '../guard.ts';

/** Whether counters of loops start afresh with a user message, or go on over the whole session. */
export type LoopScope = 'message' | 'session';

/** Where a loop guard's state lives. After a halt it starts afresh; otherwise the next run would die on its first call. */
export const loopState = (scope: LoopScope): Pick<Guard<Slice>, 'scope' | 'forgetsOnHalt'> => ({
  scope,
  forgetsOnHalt: scope === 'session',
});

/** Ends the run; it may recover once. The rest of the batch gets the results of calls that were not run. */
export const loopHalt = <Code extends string>(
  code: Code,
  message: string,
  metadata: RuleMetadata,
): Coded<Halt, Code> => ({
  kind: 'halt',
  state: 'error',
  reason: 'loop_halt',
  code,
  message,
  metadata,
  result: guardTexts.loopBlocked(message),
  recover: { scenario: 'infinite_loop', text: texts.loopHalted(message) },
});

/** Refuses one call. `advice` is for the model alone. */
export const loopBlock = <Code extends string>(
  code: Code,
  message: string,
  metadata: RuleMetadata,
  advice = '',
): Coded<BlockCall, Code> => ({
  kind: 'block',
  code,
  message,
  metadata,
  result: guardTexts.loopBlocked(`${message} ${advice}`.trim()),
});

/** Lets a call run, and says on its result what is wrong with it. `advice` is for the model alone. */
export const loopWarn = <Code extends string>(
  code: Code,
  message: string,
  metadata: RuleMetadata,
  advice: string,
): Coded<NotedWarn, Code> => ({
  kind: 'warn',
  code,
  message,
  metadata,
  note: { message: `${message} ${advice}`, action: 'warn' },
});

/** Tells the model at the next step. `again`: nothing new has happened, so people are not told once more. */
export const loopNudge = <Code extends string>(
  code: Code,
  text: string,
  again = false,
  metadata: RuleMetadata | undefined = undefined,
): Coded<Nudge, Code> => ({
  kind: 'nudge',
  code,
  text,
  ...(again && { again }),
  ...defined({ metadata }),
});

/** A map with one more entry, and without its oldest entry beyond `most`. */
export function withEntry<V>(
  map: Readonly<Record<string, V>>,
  key: string,
  value: V,
  most: number,
): Record<string, V> {
  const { [key]: _before, ...others } = map;
  const entries = [...Object.entries(others), [key, value] as const];
  return Object.fromEntries(entries.slice(-most));
}

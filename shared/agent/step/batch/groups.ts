import { type EffectRules, rulesOfEffect } from '../../config/effects.ts';
import { memoize } from '../../plain/memoize.ts';
import { shareAny, touchedBy } from '../../tools/touches.ts';
import type { PlannedCall, RunCall } from './planned-call.ts';

/**
 * Splits a batch into groups that run one after the other; the calls of one group run at the same time. Each call is in the
 * first group after the groups of all earlier calls that conflict with it. So when two calls conflict, the earlier one is over
 * before the later one begins, and no call waits for one that it does not conflict with. Pure.
 */
export function groupCalls(calls: readonly PlannedCall[]): PlannedCall[][] {
  const placed: number[] = [];
  const groups: PlannedCall[][] = [];
  for (const planned of calls) {
    const after = placed.filter((_, before) => conflict(calls[before], planned));
    const at = Math.max(-1, ...after) + 1;
    placed.push(at);
    groups[at] = [...(groups[at] ?? []), planned];
  }
  return groups;
}

/** Whether two calls must run in their order. A call that is already settled does not run. */
function conflict(one: PlannedCall | undefined, other: PlannedCall): boolean {
  if (one?.kind !== 'run' || other.kind !== 'run') return false;
  const overlaps = [overlapOf(one), overlapOf(other)];
  if (overlaps.includes('never')) return true;
  return overlaps.includes('apart') && shareAny(touched(one).names, touched(other).names);
}

/** A call of a tool that does not exist fails by itself, in its turn. */
const overlapOf = ({ tool }: RunCall): EffectRules['overlap'] =>
  tool ? rulesOfEffect(tool.effect).overlap : 'never';

/** Computed once for each call, and only when there is another call to compare it with. */
const touched = memoize(({ call, tool }: RunCall) => ({ names: touchedBy(call, tool) }));

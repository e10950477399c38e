import { type EffectRules, rulesOfEffect } from '../../config/effects.ts';
import { memoize } from '../../plain/memoize.ts';
import { shareAny, touchedBy } from '../../tools/touches.ts';
import type { PlannedCall } from './plan-batch.ts';

type Run = Extract<PlannedCall, { kind: 'run' }>;

/**
 * A batch as groups that run one after the other; the calls of one run at the same time. Each call is in the first group after
 * those of all calls before it that it conflicts with: so of two that conflict the earlier one is over before the later one begins, and
 * nothing waits for what it shares nothing with (T20). Pure.
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

/** Whether two calls must run in their order. What is settled already runs no more. */
function conflict(one: PlannedCall | undefined, other: PlannedCall): boolean {
  if (one?.kind !== 'run' || other.kind !== 'run') return false;
  const overlaps = [overlapOf(one), overlapOf(other)];
  if (overlaps.includes('never')) return true;
  return overlaps.includes('apart') && shareAny(touched(one).names, touched(other).names);
}

/** A call of a tool that does not exist fails by itself, and in its turn. */
const overlapOf = ({ tool }: Run): EffectRules['overlap'] =>
  tool ? rulesOfEffect(tool.effect).overlap : 'never';

/** Read off a call once, and only where another one stands beside it. */
const touched = memoize(({ call, tool }: Run) => ({ names: touchedBy(call, tool) }));

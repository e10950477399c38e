import type { CompletedReason } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { Made, Slot, StoredReply } from './slots.ts';
import type { Flag, Json, Spoken } from './verdict.ts';

/** A call that is due: the system makes it before the model is asked again. */
export interface Due {
  /** The guard that asks for it. */
  readonly guard: string;
  readonly tool: string;
  readonly input: Json;
  /** Guards whose calls the same answer has already waited for: each asks for one. */
  readonly before?: readonly string[];
  /** How the run ends if all gates are passed then. Absent in the middle of a run. */
  readonly ends?: { readonly reason: CompletedReason; readonly flag?: Flagged };
}

/** The remark on a run that is not simply complete, and the guard that made it. */
export type Flagged = Pick<Flag, 'code' | 'message'> & { readonly guard: string };

/** The ending of a run that a guard lets end under a flag. */
export const endUnderFlag = ({
  reason,
  code,
  guard,
  message,
}: Flag & { readonly guard: string }): Required<Due>['ends'] => ({
  reason,
  flag: { code, guard, ...defined({ message }) },
});

/**
 * The call that a guard has asked for; undefined if there is none.
 *
 * @param last the call that the same answer has waited for last
 */
export function dueOf(spoken: readonly Spoken[], ends?: Due['ends'], last?: Due): Due | undefined {
  const before = last && [...(last.before ?? []), last.guard];
  const check = spoken.find((one) => one.kind === 'check' && !before?.includes(one.guard));
  if (check?.kind !== 'check') return undefined;
  const { guard, tool, input } = check;
  return { guard, tool, input, ...defined({ before, ends }) };
}

/** The origin of a batch: a reply of the model, or the system in its place. */
export type Calling = Pick<Made, 'messageId' | 'content' | 'changes'> &
  Pick<StoredReply, 'read'> & { readonly by?: Made['by'] };

/** The calls of a slot and their origin; undefined if it has none. */
export const callingOf = (slot: Slot | undefined): Calling | undefined =>
  slot?.kind === 'model' ? (slot.made ?? slot.reply) : undefined;

/** Whether the model reads anything of a slot. It does not read system calls, except for the results of a plan. */
export const isRead = ({ made }: Slot): boolean => made === undefined || made === 'plan';

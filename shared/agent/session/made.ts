import type { CompletedReason } from '../../contract/session.ts';
import type { Made, Slot, StoredReply } from './slots.ts';
import type { Flag, Json, Spoken } from './verdict.ts';

/** A call that is due: the system makes it before the model is asked again. */
export interface Due {
  /** The guard that asks for it. */
  readonly guard: string;
  readonly tool: string;
  readonly input: Json;
  /** Guards whose calls the same answer has waited for before: each asks for one. */
  readonly before?: readonly string[];
  /** How the run ends when all gates are passed then. Absent in the middle of a run. */
  readonly ends?: { readonly reason: CompletedReason; readonly flag?: Flagged };
}

/** What there is to know of a run that is not simply complete, and which guard says so. */
export type Flagged = Pick<Flag, 'code' | 'message'> & { readonly guard: string };

/** How the run ends that a guard lets end under a flag. */
export const endUnderFlag = ({
  reason,
  code,
  guard,
  message,
}: Flag & { readonly guard: string }): Required<Due>['ends'] => ({
  reason,
  flag: { code, guard, ...(message !== undefined && { message }) },
});

/**
 * The call that a guard has asked for; undefined when none has.
 *
 * @param last the call that the same answer has waited for last
 */
export function dueOf(spoken: readonly Spoken[], ends?: Due['ends'], last?: Due): Due | undefined {
  const before = last && [...(last.before ?? []), last.guard];
  const check = spoken.find((one) => one.kind === 'check' && !before?.includes(one.guard));
  if (check?.kind !== 'check') return undefined;
  const { guard, tool, input } = check;
  return { guard, tool, input, ...(before && { before }), ...(ends && { ends }) };
}

/** What has asked for a batch: a reply of the model, or the system in its place. */
export type Calling = Pick<Made, 'messageId' | 'content' | 'changes'> &
  Pick<StoredReply, 'read'> & { readonly by?: Made['by'] };

/** The calls of a slot, and who asks for them; undefined when it has none. */
export const callingOf = (slot: Slot | undefined): Calling | undefined =>
  slot?.kind === 'model' ? (slot.made ?? slot.reply) : undefined;

/** Whether the model reads anything of a slot: of what the system has called itself only what came of a plan. */
export const isRead = ({ made }: Slot): boolean => made === undefined || made === 'plan';

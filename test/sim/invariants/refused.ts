/** Turns that a server has refused to answer, written independently of the core. */

import type { Slot } from '../../../shared/agent/session/slots.ts';

/** Whether a request is a retry: its text follows the last reply. */
export const isAskedAgain = (blocks: readonly string[]): boolean =>
  blocks
    .slice(blocks.findLastIndex((block) => block.startsWith('assistant:')) + 1)
    .some((block) => block.includes('[steploop] Your last run ended before it was done'));

/**
 * Slots of turns that were refused: from the slot after the last reply to the refusal. A retry right after it sends
 * them again, and if that is being asked, or is answered, they stay.
 * @param asksAgain whether the request is a retry
 */
export function refusedIn(slots: readonly Slot[], asksAgain: boolean): ReadonlySet<number> {
  const found = new Set<number>();
  const isRetry = (part: readonly Slot[]) =>
    part.some(
      (slot) => slot.kind === 'model' && slot.input.some(({ internal }) => internal?.reason === 'retry'),
    );
  const ends = slots.flatMap((slot, i) => (slot.kind === 'model' && slot.reply ? [i] : []));
  const open = slots.slice((ends.at(-1) ?? -1) + 1);
  let again = asksAgain || isRetry(open);
  for (let i = ends.length - 1; i >= 0; i--) {
    const part = partOf(slots, ends, i);
    const last = part.at(-1);
    const isRefusal =
      last?.kind === 'model' && last.reply?.stop === 'refusal' && last.reply.content.length === 0;
    const isLeftOut: boolean = isRefusal && !again;
    if (isLeftOut) for (const { n } of part) found.add(n);
    again = !isLeftOut && isRetry(part);
  }
  return found;
}

const partOf = (slots: readonly Slot[], ends: readonly number[], i: number): readonly Slot[] =>
  slots.slice((ends[i - 1] ?? -1) + 1, (ends[i] ?? 0) + 1);

/** The notices that replace a slot of such a turn. */
export function noticesOf(slot: Slot): readonly string[] {
  if (slot.kind === 'model') return slot.input.length === 0 ? [] : [MESSAGE];
  // A plan's outcome is told as a message, with the note of the people who decided.
  if (slot.made === 'plan') return [MESSAGE];
  const content =
    '[steploop] The result of this call is left out: your server refused to answer a request with it. The call was run. Do not call it again for the same content.';
  return slot.results.map(({ callId, outcome }) => {
    const error = outcome === 'ok' ? {} : { is_error: true };
    return `user:${JSON.stringify({ type: 'tool_result', tool_use_id: callId, content, ...error })}`;
  });
}

const MESSAGE =
  'user:{"type":"text","text":"[steploop] A message that stood here is left out: your server refused to answer it. Do not guess what it said."}';

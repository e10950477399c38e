import type { AgUiEvent, OmittedPart } from '../../../contract/events.ts';
import { decidedIn, isRefused, openTurn } from '../../context/omissions.ts';
import type { ModelSlot, Slot } from '../../session/slots.ts';
import type { Ended } from '../draft.ts';

/**
 * How a run ends if its model refuses to answer the content that it was sent.
 *
 * @param detail the server's reason
 */
export const refusedAs = (detail: string): Ended => ({
  state: 'error',
  reason: 'blocked',
  code: 'refusal',
  message: `The model refused: ${detail.replace(/[.!]$/, '')}. The same words would be refused again, so later requests leave them out. Say it in another way, or send the same words once more on purpose (POST …/retry).`,
});

/**
 * Tells people which parts the model no longer reads: after a server refused to answer, and after it took a request without a
 * part that it had refused as malformed. Pure, so that a step that adopts the slot tells the same.
 *
 * @param history slots before it
 * @param slot what the step writes: a reply, or a refusal
 */
export function toldOmissions(history: readonly Slot[], slot: ModelSlot): AgUiEvent[] {
  const turn = [...openTurn(history), slot];
  if (isRefused(slot)) {
    const parts = turn.flatMap(newIn);
    const message = 'The model refused to answer. From now on it reads a notice in place of what was new.';
    return [toEvent('refused', parts, message)];
  }
  const omitted = decidedIn(turn, slot.runId);
  if (omitted.length === 0 || !slot.reply) return [];
  const parts = omitted.map(({ slot: n, part }) => ({ slot: n, part }));
  const message =
    'The server of the model refused the conversation as malformed. From now on the model reads a notice in place of the part that it did not take.';
  return [toEvent('malformed', parts, message)];
}

function newIn(slot: Slot): OmittedPart[] {
  if (slot.kind === 'tools') return slot.made ? [] : [{ slot: slot.n, part: 'results' }];
  return slot.input.length > 0 ? [{ slot: slot.n, part: 'input' }] : [];
}

const toEvent = (why: 'malformed' | 'refused', parts: OmittedPart[], message: string): AgUiEvent => ({
  type: 'CUSTOM',
  name: 'steploop.omitted',
  value: { why, parts, message },
});

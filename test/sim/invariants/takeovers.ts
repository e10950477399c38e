/** Invariant 21, for takeovers: a successor first closes what a dead attempt opened in the log. Checked at appends. */

import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';

/** Frames on their way into the log. */
export interface Appended {
  readonly facts: SessionFacts;
  readonly claim: Claim | undefined;
  readonly frames: readonly Frame[];
}

export const takeoverChecks: Checks<Appended> = {
  // Holds for one dead attempt. If there were several, those that logged late are left out.
  '21 a takeover closes what is open in the log': ({ facts, claim, frames }) => {
    if (claim?.head.attempts !== 2) return undefined;
    const starts = frames.findIndex(
      ({ event, seq }) => event.type === 'STEP_STARTED' && isOf(claim.epoch, seq),
    );
    if (starts < 0) return undefined;
    const told = [...facts.log.values()].filter(({ seq }) => isOf(claim.epoch - 1, seq));
    const opened = told
      .filter(({ at }) => at < claim.claimedAt)
      .map(({ event }) => endsOf(event).opens ?? '');
    const open = new Set(opened.filter((name) => name !== ''));
    // A frame that lands after the claim may have been read too, so its ends count.
    for (const { event } of [...told, ...frames.slice(0, starts)]) open.delete(endsOf(event).closes ?? '');
    return open.size > 0 ? `epoch ${claim.epoch} begins, and leaves ${[...open].join()} open` : undefined;
  },
};

/** Frames of an epoch are numbered from a million times the epoch (`stream.ts`). */
const isOf = (epoch: number, seq: number): boolean => Math.floor(seq / 1_000_000) === epoch;

function endsOf(event: AgUiEvent): { opens?: string; closes?: string } {
  switch (event.type) {
    case 'STEP_STARTED':
      return { opens: `step ${event.stepName}` };
    case 'STEP_FINISHED':
      return { closes: `step ${event.stepName}` };
    case 'TEXT_MESSAGE_START':
      return { opens: `text ${event.messageId}` };
    case 'TEXT_MESSAGE_END':
      return { closes: `text ${event.messageId}` };
    case 'REASONING_MESSAGE_START':
      return { opens: `thought ${event.messageId}` };
    case 'REASONING_MESSAGE_END':
      return { closes: `thought ${event.messageId}` };
    case 'TOOL_CALL_START':
      return { opens: `call ${event.toolCallId}` };
    case 'TOOL_CALL_END':
      return { closes: `call ${event.toolCallId}` };
    default:
      return {};
  }
}

import type { FoldReason } from '../../contract/events.ts';
import type { Fold } from '../session/fold.ts';
import type { ModelSlot } from '../session/slots.ts';
import { type ContextInputs, saidIn } from './asked.ts';
import { foldAt } from './folded.ts';
import { headOf } from './head.ts';
import { toMessages } from './messages.ts';
import { omissionsIn } from './omissions.ts';
import { fullness } from './room.ts';
import { estimateOf, measureOf } from './size.ts';
import { workLogOf } from './work-log.ts';

/** A fold before anything is bought for it, and before its effect is known. */
export type Draft = Omit<Fold, 'summary' | 'tokens'>;

/** The plan of a step that folds. */
export interface Plan {
  readonly fold: Omit<Fold, 'summary'>;
  /** Characters that a summary of what is left out may have; 0 = no summary is bought. */
  readonly summaryChars: number;
}

/** Where a context begins, and which part of it is cleared. */
type Cut = Pick<Fold, 'start' | 'clearedBelow' | 'shrunk'>;

/**
 * A fold at a cut. Results that were cleared before stay cleared, and the count of what was left out goes on.
 *
 * @param scale real tokens of an estimated one
 */
export function draftOf(asked: ContextInputs, why: FoldReason, cut: Cut, scale = 1): Draft {
  const { slots, session, pinned } = asked;
  const before = foldAt(slots, session.fold?.slot)?.fold;
  const said = saidIn(asked);
  const leaves = said.filter(({ n }) => n < cut.start);
  const messages = toMessages(leaves, []);
  const { left = { messages: 0, tokens: 0 }, clearedBelow = 0, summary, log } = before ?? {};
  const { strategy } = pinned.guardrails.context;
  const lists = strategy === 'staged' || strategy === 'server';
  return {
    why,
    ...cut,
    clearedBelow: Math.max(cut.start, cut.clearedBelow, clearedBelow),
    left: {
      messages: left.messages + messages.length,
      tokens: left.tokens + Math.floor((measureOf(pinned)(messages) * scale) / 4),
    },
    ...(lists && {
      log: workLogOf(leaves, summary ? undefined : log, omissionsIn(said, asked.waiting, session.run?.id)),
    }),
  };
}

/** The fullness of the next request, by its characters alone, or by the images and documents in it, if that is more. */
export const fullEstimateOf = (asked: ContextInputs): number => fullness(estimateOf(asked), asked);

/**
 * Tokens of the request after a fold, by its characters: with a summary of the allowed length, or without one, whichever is more.
 */
export function tokensAfter(asked: ContextInputs, draft: Draft, summaryChars: number): number {
  const { slots, session } = asked;
  const n = session.version;
  const after = (summary?: string) => {
    const fold = { ...draft, tokens: { before: 0, after: 0 } };
    const input = headOf(asked, draft, summary);
    const slot: ModelSlot = { kind: 'model', n, runId: '', step: 0, input, fold, verdicts: [] };
    return fullEstimateOf({
      ...asked,
      slots: [...slots, slot],
      session: { ...session, fold: { slot: n, at: 0 } },
    });
  };
  return Math.max(after(), summaryChars > 0 ? after('x'.repeat(summaryChars)) : 0);
}

/** Invariant 29: what makes a context smaller, and what it keeps. Checked at commits, and when a model is asked. */

import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { Fold } from '../../../shared/agent/session/fold.ts';
import type { ModelSlot, Slot } from '../../../shared/agent/session/slots.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';
import { SUMMARIZER } from '../summaries.ts';
import { hasForeignThinking, inputOf } from '../window.ts';
import type { ContextWorkload } from '../workloads.ts';
import type { Committed } from './commits.ts';
import { endsRun } from './ends.ts';
import { contextOf, foldIn } from './prefix.ts';
import { refusedIn } from './refused.ts';

/** Maximum number of consecutive folds without a reply. */
const MOST_FOLDS = 2;

/** Characters of the first task that a fold keeps, and their share of a small window at four characters a token. */
const TASK = { chars: 8_000, share: 0.15 };

/** A committed fold, with its slot. */
interface Folding {
  readonly slot: ModelSlot;
  readonly fold: Fold;
  readonly head: string;
  /** The fold before it. */
  readonly before: Fold | undefined;
}

const foldingIn = ({ slots, before, facts }: Committed): Folding | undefined => {
  const slot = slots.find((one) => foldIn(one));
  if (slot?.kind !== 'model' || !slot.fold) return undefined;
  const last = before.session.fold?.slot;
  const head = slot.input.map(({ text }) => text).join('\n');
  return { slot, fold: slot.fold, head, before: last === undefined ? undefined : foldIn(facts.stored[last]) };
};

/** A check of a fold. */
const ofFold =
  (wrong: (folding: Folding, seen: Committed) => string | undefined) =>
  (seen: Committed): string | undefined => {
    const folding = foldingIn(seen);
    return folding && wrong(folding, seen);
  };

export const foldChecks: Checks<Committed> = {
  '29 a step that folds does nothing else': ofFold(({ slot }, { slots, before, after }) => {
    const said = slot.input.some(({ internal }) => !internal);
    return slots.length !== 1 || slot.reply || said || after.session.batch || before.session.batch
      ? JSON.stringify(slots)
      : undefined;
  }),

  '29 HEAD names the last fold': ({ facts, after, claim }) => {
    if (claim?.older) return undefined;
    const { fold, contextStart } = after.session;
    const last = facts.stored.findLastIndex((slot) => foldIn(slot));
    const start = foldIn(facts.stored[last])?.start ?? 0;
    return (fold?.slot ?? -1) !== last || contextStart !== start
      ? `fold ${fold?.slot}, from ${contextStart}; stored is ${last}, from ${start}`
      : undefined;
  },

  '29 a fold does not separate a call from its result': ofFold(
    ({ slot: { n }, fold }, { facts: { stored } }) => {
      const { start, clearedBelow } = fold;
      const isCut = stored[start]?.kind === 'tools' || start > n || clearedBelow < start || clearedBelow > n;
      return isCut
        ? `it begins at ${start} (${stored[start]?.kind}), cleared below ${clearedBelow}`
        : undefined;
    },
  ),

  '29 slots that are left out stay left out': ofFold(({ fold, before }) =>
    before && fold.start < before.start ? `begins at ${fold.start}, and began at ${before.start}` : undefined,
  ),

  '29 a fold makes the context smaller': ofFold(({ fold: { why, tokens } }) =>
    why !== 'thinking' && tokens.after >= tokens.before ? `${tokens.before} → ${tokens.after}` : undefined,
  ),

  '29 a summary stands in the head': ofFold(({ fold, head }) =>
    fold.summary && !head.includes(fold.summary.text) ? `${fold.summary.text} is not in ${head}` : undefined,
  ),

  '29 a summary was served': ofFold(({ fold: { summary } }, { facts }) => {
    if (!summary) return undefined;
    const served = facts.served.summaries.get(summary.messageId);
    return served?.whole && served.text.trim() === summary.text && served.input === summary.usage.input
      ? undefined
      : `${JSON.stringify(summary)}; served was ${JSON.stringify({ ...served, over: '' })}`;
  }),

  '29 a summary is asked over what leaves the context': ofFold(({ slot, fold, before }, { facts }) => {
    const over = fold.summary && facts.served.summaries.get(fold.summary.messageId)?.over;
    if (over === undefined) return undefined;
    // The words of a refused turn would get the summary refused.
    const refused = refusedIn(contextOf(facts.stored.slice(0, slot.n), before), false);
    const leaves = facts.stored.slice(before?.start ?? 0, fold.start);
    const left = saidIn(leaves.filter(({ n }) => !refused.has(n)));
    const missed = left.find((text) => !over.includes(JSON.stringify(text).slice(1, -1)));
    return missed && `"${missed}" left the context, and the summary was not asked over it`;
  }),

  '29 the first task stays in the context': ofFold(({ fold, head }, { facts: { stored }, context }) => {
    const limit = context ? context.window - context.reserve : Number.POSITIVE_INFINITY;
    const at = stored.findIndex((slot) => saidIn([slot]).length > 0);
    const [task = ''] = saidIn(stored.slice(at, at + 1));
    // The words of a refused turn would get the next request refused.
    if (refusedIn(contextOf(stored, undefined), false).has(at)) return undefined;
    const kept = task.slice(0, Math.min(TASK.chars, Math.floor(TASK.share * limit * 4)));
    return at >= 0 && at < fold.start && !head.includes(kept)
      ? `"${task.slice(0, 80)}" is not in ${head}`
      : undefined;
  }),

  '29 open requests are labelled so, and stand last': ofFold(
    ({ slot, fold }, { facts: { stored }, context }) => {
      if (context && !['staged', 'none'].includes(context.strategy)) return undefined;
      const before = stored.slice(0, slot.n).filter((one) => one.kind === 'model' && !one.fold && !one.made);
      const newest = before.findLast((one) => saidIn([one]).length > 0);
      const last = before.at(-1);
      const isOver = last?.kind === 'model' && last.reply?.stop === 'end_turn';
      if (newest?.runId !== slot.runId || newest.n >= fold.start || isOver) return undefined;
      const words = saidIn([newest]).at(-1)?.slice(0, 20) ?? '';
      const end = slot.input.at(-1)?.text ?? '';
      return end.startsWith('[steploop] OPEN') && end.includes(words)
        ? undefined
        : `"${words}" is open, last is ${end}`;
    },
  ),

  // Holds if each message fits by itself, as do those that came together, and if the server counts as we do. An event
  // that comes when its run is already over, such as a request to wrap up, is taken up by a separate commit, which ends
  // no other run.
  '29 the message after a full context is answered': (seen) => {
    const { facts, slots, after, context, letters } = seen;
    if (slots.some((slot) => slot?.kind === 'model' && slot.reply)) facts.fullRuns = 0;
    const together = slots.flatMap((slot) => (slot?.kind === 'model' ? slot.input : [])).length;
    const isFull = endsRun(seen) && after.session.reason === 'context_limit';
    if (isFull && together <= AT_ONCE) facts.fullRuns += 1;
    const isPlain = context?.strategy === 'staged' && context.rate === 1 && letters <= 400;
    return isPlain && !facts.older && facts.fullRuns > 1
      ? `${facts.fullRuns} runs in a row end without a reply`
      : undefined;
  },

  '29 there are few folds in a row': ({ facts, slots, after }) => {
    if (slots.some((slot) => slot?.kind === 'model' && slot.reply) || after.session.run?.ended)
      facts.folds = 0;
    facts.folds += slots.filter((slot) => foldIn(slot)).length;
    return facts.folds > MOST_FOLDS ? `${facts.folds} without a reply` : undefined;
  },
};

/** Number of messages that the smallest windows have room for, in addition to the first one, memories and tools. */
const AT_ONCE = 4;

/** People's messages in some slots. */
const saidIn = (slots: readonly Slot[]): string[] =>
  slots.flatMap((slot) =>
    slot.kind === 'model'
      ? slot.input.flatMap(({ text, eventId, internal }) => (eventId && !internal ? [text] : []))
      : [],
  );

/** A model call with small windows. */
export interface AskedInWindow {
  readonly facts: SessionFacts;
  readonly claim: Claim;
  readonly request: ModelRequest;
  readonly context: ContextWorkload;
  readonly summary: boolean;
}

/** Tokens of the guards' advice, which is added after the size of a context was taken. */
const ADVICE = 300;

export const windowChecks: Checks<AskedInWindow> = {
  '29 every request fits the window': ({ facts, claim, request, context, summary }) => {
    // The other strategies leave it to the model's server to refuse a request that is too long. Only the server knows
    // its count if it counts more than we do.
    if (context.rate > 1 || context.strategy !== 'staged' || claim.older || facts.older) return undefined;
    const most = summary ? context.window : context.window - context.reserve + ADVICE;
    const sent = inputOf(request, context);
    return sent > most ? `${sent} tokens are sent, and ${most} may be` : undefined;
  },

  '29 thinking is sent only over its own context': ({ facts, claim, request }) =>
    !facts.older && !claim.older && hasForeignThinking(request)
      ? 'it was thought over another request'
      : undefined,

  '29 a summarizing model reads no thinking of another model': ({ request }) =>
    request.model === SUMMARIZER && request.messages.some(({ content }) => content.some(isThought))
      ? 'it reads thinking'
      : undefined,
};

const isThought = ({ type }: { readonly type: string }): boolean => type === 'thinking';

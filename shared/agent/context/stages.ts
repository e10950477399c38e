import type { FoldReason } from '../../contract/events.ts';
import type { ContextInputs } from './asked.ts';
import { keepingTurns, piecesOf, tailFrom } from './cut.ts';
import { draftOf, fullEstimateOf, type Plan, tokensAfter } from './draft.ts';
import { foldAt } from './folded.ts';
import { readingOf } from './reading.ts';
import { shrunkOf } from './shrink.ts';
import { limitOf } from './size.ts';

/** A fold that saves less than this is not worth a new prefix, of which nothing is cached. */
const LEAST_GAIN = 0.1;
/** The largest factor by which an estimate is assumed to be too low: in some scripts a character is a token. */
const MOST_SCALE = 4;
/** Share of the limit that the newest messages may fill with `compact`. */
const COMPACT_TAIL = 0.75;

/** Share of the limit that a summary may fill in a small window. */
const SUMMARY_SHARE = 0.2;

/** An {@link ContextInputs} and its fullness: the result of `sizeOf`, or the share of images and documents, if that is more. */
export type Measured = ContextInputs & { readonly size: number };

/**
 * How the context is made smaller: what stays, and how long a summary may be. `full` if nothing makes it fit; `no_use` if it fits
 * as it is, as far as is known, and a fold would hardly make it smaller: then the model is asked.
 *
 * Nothing is bought if the model has just refused the context as too long: then the cut goes deeper with each refusal.
 */
export function planFold(asked: Measured, why: FoldReason): Plan | 'full' | 'no_use' {
  const { strategy } = asked.pinned.guardrails.context;
  if (why === 'thinking') return sameCut(asked);
  if (why === 'budget') return shrunkOf(asked) ?? 'no_use';
  switch (strategy) {
    case 'none':
      return 'full';
    case 'sliding_window':
    case 'compact':
      return newestOf(asked, why);
    case 'staged':
    case 'server':
      return staged(asked, why);
    default:
      return strategy satisfies never;
  }
}

/** A new prefix over the same slots, without the thinking (docs/context.md). */
function sameCut(asked: Measured): Plan {
  const before = foldAt(asked.slots, asked.session.fold?.slot)?.fold;
  const start = before?.start ?? asked.session.contextStart;
  const draft = draftOf(asked, 'thinking', { start, clearedBelow: before?.clearedBelow ?? start });
  return {
    fold: { ...draft, tokens: { before: asked.size, after: tokensAfter(asked, draft, 0) } },
    summaryChars: 0,
  };
}

/** The first stage that goes down to the target, else the first that fits. */
function staged(asked: Measured, why: FoldReason): Plan | 'full' | 'no_use' {
  const { size, session, pinned } = asked;
  const { target, foldAt: from } = pinned.guardrails.context;
  const limit = limitOf(pinned, readingOf(session, pinned).fallback);
  const tooLong = why === 'size' && size > limit;
  const most = tooLong ? limit : size * (1 - LEAST_GAIN);
  const planAt = planner(asked, why, limit);
  const fits = (share: number) => (plan: Plan) => plan.fold.tokens.after <= Math.min(most, share * limit);
  const plans: Plan[] = [];
  for (const stage of stagesOf(asked, why)) {
    const plan = planAt(stage);
    if (fits(target)(plan)) return plan;
    plans.push(plan);
  }
  const fitting = plans.find(fits(from)) ?? plans.find(fits(1));
  if (fitting) return fitting;
  if (why === 'size' && !tooLong) return 'no_use';
  return lastOf.map(planAt).find(fits(1)) ?? (size > limit ? 'full' : 'no_use');
}

/** The plan of a stage. */
function planner(asked: Measured, why: FoldReason, limit: number): (stage: Stage) => Plan {
  const { size, session, pinned } = asked;
  const { tail } = pinned.guardrails.context;
  const scale = Math.min(MOST_SCALE, Math.max(1, size / Math.max(1, fullEstimateOf(asked))));
  const pieces = piecesOf(asked);
  const room = (Math.min(tail.tokens, tail.share * limit) * 4) / scale;
  const planOf = (start: number, clearedBelow: number, summaryChars: number): Plan => {
    const draft = draftOf(asked, why, { start, clearedBelow }, scale);
    const chars =
      start > session.contextStart ? Math.min(summaryChars, Math.floor(SUMMARY_SHARE * limit * 4)) : 0;
    const after = Math.ceil(tokensAfter(asked, draft, chars) * scale);
    return { fold: { ...draft, tokens: { before: size, after } }, summaryChars: chars };
  };
  return (stage) => {
    if (stage.tail === 0) return planOf(session.version, session.version, 0);
    const clearedBelow = keepingTurns(pieces, stage.turns, session.version);
    const from = stage.tail === undefined ? 0 : tailFrom(pieces, room * stage.tail, clearedBelow);
    const start = (from > 0 && pieces[from]?.slot.n) || session.contextStart;
    return planOf(start, clearedBelow, stage.summaryChars);
  };
}

/** One way to make a context smaller. */
interface Stage {
  /** Share of the tail that stays word for word; absent = nothing is left out, 0 = everything is. */
  readonly tail?: number;
  /** Batches whose results stay whole. */
  readonly turns: number;
  readonly summaryChars: number;
}

function stagesOf({ session, pinned }: Measured, why: FoldReason): Stage[] {
  const { keepToolTurns: turns, summary } = pinned.guardrails.context;
  const few = Math.min(turns, 1);
  const refusals = session.mustFold?.refusals ?? 0;
  const stages: Stage[] = [
    { turns, summaryChars: 0 },
    { tail: 1, turns, summaryChars: summary.maxChars },
    { tail: 0.6, turns, summaryChars: summary.maxChars },
    { tail: 0.4, turns: few, summaryChars: summary.maxChars },
    { tail: 0.25, turns: few, summaryChars: Math.min(summary.maxChars, summary.leastChars) },
  ];
  if (why !== 'refused') return stages;
  const deeper = { tail: 0.25 ** Math.max(1, refusals - 1), turns: few, summaryChars: 0 };
  const harder = refusals > 1 ? [deeper] : stages.slice(2);
  return harder.map((stage) => ({ ...stage, summaryChars: 0 }));
}

/**
 * If nothing else fits: unread results are read as facts, and then not at all. A message or a tool result was longer than the
 * window; the head has the beginning of it, and the session goes on.
 */
const lastOf: readonly Stage[] = [
  { tail: 0.25, turns: 0, summaryChars: 0 },
  { tail: 0, turns: 0, summaryChars: 0 },
];

/** Whether everything that was said is answered, and a new message has come: then only that message may count as the newest. */
const isAnswered = ({ slots, waiting }: ContextInputs): boolean => {
  const last = slots.at(-1);
  return last?.kind === 'model' && last.reply !== undefined && waiting.some(({ internal }) => !internal);
};

/** The first message and the newest that fit, at least one; with `compact` these fill three quarters at most. */
function newestOf(asked: Measured, why: FoldReason): Plan | 'no_use' {
  const { size, session, pinned } = asked;
  const { strategy, target } = pinned.guardrails.context;
  const limit = limitOf(pinned, readingOf(session, pinned).fallback);
  const goal = target * limit * 0.6 ** (session.mustFold?.refusals ?? 0);
  const planAt = (start: number): Plan => {
    const draft = draftOf(asked, why, { start, clearedBelow: 0 });
    const tokens = { before: size, after: tokensAfter(asked, draft, 0) };
    return { fold: { ...draft, tokens }, summaryChars: 0 };
  };
  const beside = goal - 1 - planAt(session.version).fold.tokens.after;
  const room = strategy === 'compact' ? Math.min(beside, COMPACT_TAIL * limit) : beside;
  const pieces = piecesOf(asked);
  const from = tailFrom(pieces, room * 4, 0, isAnswered(asked));
  const start = pieces[from]?.slot.n ?? session.version;
  if (from === 0) return 'no_use';
  const plan = planAt(start);
  const { after } = plan.fold.tokens;
  const least = why === 'size' && size > limit ? size - 1 : size * (1 - LEAST_GAIN);
  return after <= least ? plan : 'no_use';
}

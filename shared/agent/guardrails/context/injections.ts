import type { Injections, SlotName } from '../../config/injections.ts';
import type { Session } from '../../session/session.ts';
import type { InputTurn } from '../../session/slots.ts';
import type { Nudge, Slice, Spoken } from '../../session/verdict.ts';
import { guardTexts } from '../../texts/guards.ts';
import type { Stages } from '../guard.ts';
import type { Judgement } from '../judge.ts';

/** Smaller first. */
const priority: Record<SlotName, number> = { limits: 0, loop: 1, failure: 2, recitation: 3, exploration: 4 };

/** With no more than this left, in tokens, a text that does not fit is dropped instead of cut. */
const WORTH_A_PART = 100;

/** Codes by slot. Any other code is advice: of loop guards, and of guards that are not ours. */
const codes: Readonly<Record<Exclude<SlotName, 'loop'>, ReadonlySet<string>>> = {
  limits: new Set([
    ...['wrap_up', 'force_text', 'token_budget', 'cost_limit', 'grace_step', 'reads_left'],
    ...['deadline', 'truncated_calls', 'max_tokens_recovery', 'malformed_call'],
    ...[
      'thinking_only',
      'empty_response',
      'premature_end',
      'planning_prose',
      'artifact_missing',
      'status_only',
      'reflect',
      'next_task',
      'repair',
      'compile_errors',
    ],
    ...['answer_unfit', 'wants_files_changed', 'wants_verification_ran', 'wants_verification_passed'],
  ]),
  failure: new Set(['failures_left', 'failing', 'shell_pivot', 'failed_tests', 'failed_shells']),
  recitation: new Set(['recitation', 'orientation', 'go_on']),
  exploration: new Set(['exploration']),
};

/** The slot of a text of ours, by its code. */
export function slotOf(code: string): SlotName {
  if (code.startsWith('recovery_')) return 'limits';
  const slots = Object.keys(codes) as (keyof typeof codes)[];
  return slots.find((slot) => codes[slot].has(code)) ?? 'loop';
}

/** A text as it is told: whole, in part, or not at all. */
export interface Allotted {
  readonly text: string;
  readonly lost?: 'cut' | 'dropped';
}

/**
 * Divides the budget of a step by priority, and within one priority in the order given. Each text is first cut to the size of its
 * slot. Texts that fit are told; of one that does not fit, a part is told if there is enough room for it; the rest is dropped.
 *
 * @returns one for each of `wanted`, in its order
 */
export function allot(
  wanted: readonly { readonly code: string; readonly text: string }[],
  { budgetTokens, maxTokens }: Pick<Injections, 'budgetTokens' | 'maxTokens'>,
): Allotted[] {
  const allotted = new Map<number, Allotted>();
  const inOrder = wanted
    .map(({ code, text }, at) => ({ at, text, slot: slotOf(code) }))
    .toSorted((a, b) => priority[a.slot] - priority[b.slot]);
  let left = budgetTokens;
  for (const { at, text, slot } of inOrder) {
    const own = cutTo(text, maxTokens[slot] || budgetTokens);
    const told = tokensOf(own) <= left ? own : left > WORTH_A_PART ? cutTo(own, left) : undefined;
    left -= tokensOf(told ?? '');
    if (told === undefined) allotted.set(at, { text, lost: 'dropped' });
    else allotted.set(at, told === text ? { text } : { text: told, lost: 'cut' });
  }
  return wanted.map(({ text }, at) => allotted.get(at) ?? { text });
}

const CHARS = 4;
const tokensOf = (text: string): number => Math.ceil(text.length / CHARS);

/** As much of a text as this many tokens hold, and a mark that it was cut. */
function cutTo(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text;
  const head = text.slice(0, Math.max(0, tokens * CHARS - guardTexts.injectionCut.length));
  // Never splits a surrogate pair.
  return head.replace(/[\uD800-\uDBFF]$/, '') + guardTexts.injectionCut;
}

/** The texts that the model is told before a call. */
export interface Told {
  readonly session: Session;
  /** The verdicts of guards in this step. */
  readonly spoken: readonly Spoken[];
  /** The texts of `waiting` that were cut or dropped, for the journal. */
  readonly lost: readonly Spoken[];
  /** The texts that were decided before, one for each, as they are told; undefined if one is not. */
  readonly waiting: readonly (InputTurn | undefined)[];
}

/**
 * Chooses which of all texts are told before one model call. A nudge that is dropped is unsaid: it counts as not said by its
 * guard. A text that waits from the step before was said then; if it loses its place, the journal says so, and no event does.
 *
 * @param waiting texts of ours that guards did not decide in this step
 */
export function withinBudget(
  heard: Judgement<Stages['inject']['verdict']>,
  waiting: readonly InputTurn[],
  config: Pick<Injections, 'budgetTokens' | 'maxTokens'>,
): Told {
  const { session, spoken, untold } = heard;
  if (config.budgetTokens === 0) return { session, spoken, lost: [], waiting };
  const now = spoken.filter(isTold);
  const allotted = allot(
    [...waiting.map(({ text, internal }) => ({ text, code: internal?.reason ?? '' })), ...now],
    config,
  );
  const of = (one: SpokenNudge): Allotted | undefined => allotted[waiting.length + now.indexOf(one)];
  const dropped = now.filter((one) => of(one)?.lost === 'dropped');
  return {
    session: dropped.reduce((left, { guard }) => withSlice(left, guard, untold[guard]), session),
    spoken: spoken.map((one) => (isTold(one) ? marked(one, of(one)) : one)),
    lost: waiting.flatMap((turn, i) => journaled(turn, allotted[i])),
    waiting: waiting.map((turn, i) => {
      const { text = turn.text, lost } = allotted[i] ?? {};
      return lost === 'dropped' ? undefined : { ...turn, text };
    }),
  };
}

type SpokenNudge = Spoken & Nudge;
const isTold = (one: Spoken): one is SpokenNudge => one.kind === 'nudge' && !one.unsaid;

/** A nudge as the journal keeps it: in the words that the model has read. */
function marked(one: SpokenNudge, { text = one.text, lost }: Partial<Allotted> = {}): Spoken {
  if (!lost) return one;
  return lost === 'dropped' ? { ...one, lost, unsaid: true } : { ...one, text, lost };
}

/** Journal entries for waiting texts that lost their place: people were told of them when they were said. */
function journaled(
  { text: whole, internal }: InputTurn,
  { text = whole, lost }: Partial<Allotted> = {},
): Spoken[] {
  if (!lost) return [];
  const code = internal?.reason ?? '';
  return [marked({ kind: 'nudge', guard: 'injections', code, text: whole, again: true }, { text, lost })];
}

/** The session with the state of one guard; without it if there was none. */
function withSlice(session: Session, guard: string, slice: Slice | undefined): Session {
  const { [guard]: _said, ...others } = session.metadata.guardrails;
  return { ...session, metadata: { guardrails: slice ? { ...others, [guard]: slice } : others } };
}

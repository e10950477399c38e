import { type StepSlots, stepsIn } from '../events/steps.ts';
import { slicesForNewRun } from '../guardrails/judge.ts';
import { charge } from '../session/charge.ts';
import { totalsOf } from '../session/cost.ts';
import { newRun, type Session } from '../session/session.ts';
import { isAssessment, isFold, type ModelSlot, type Slot } from '../session/slots.ts';
import { timingIn } from '../session/timing.ts';
import { watchPreflight } from './watch-request.ts';
import { hasReply, watchStep } from './watch-step.ts';
import type { Heard, Rules, Watched } from './watched.ts';

/** A stored conversation. */
export interface Conversation {
  /** Before its first slot. */
  readonly session: Session;
  /** All committed slots from there on, in order. */
  readonly slots: readonly Slot[];
  /** When its last run ended: epoch ms. Absent while it goes on. */
  readonly endedAt?: number;
}

/** The verdicts of one step, and the end of its run if it ends there. */
export interface WatchedStep extends Omit<Watched, 'session'> {
  readonly runId: string;
  /** Step of the run, from 1. */
  readonly step: number;
  /** Absent for a step of which nothing is stored: the run ended before it. */
  readonly slot?: number;
}

/**
 * Lets guards watch a stored conversation, as if its runs had gone on under these rules. It asks the guards themselves at each
 * stage, with the state that they would have had; nothing of their rules is repeated here. Pure.
 *
 * A run is watched until these rules end it. A replay has limits:
 *
 * - The model has read the advice of the rules under which the run went on. This advice may have changed all that follows.
 * - A refused call counts as refused: its stored result is left out, and the next steps are those of the stored run.
 * - A call that did not run then has no result.
 * - Results are as they were stored, perhaps shortened by the limits of that time.
 * - Cancels, the resources of workers, calls that the system made for proof, assessments of progress, compactions for the sake of
 *   a budget, and the agent's own guards are not replayed.
 * - Tools are declared as in the code that is deployed now.
 */
export function watch({ session, slots, endedAt }: Conversation, rules: Rules): WatchedStep[] {
  const steps = stepsIn(slots);
  const watched: WatchedStep[] = [];
  let before = session;
  let runId: string | undefined;
  let isOver = false;
  let resumes = false;
  let now = 0;
  for (const [i, stored] of steps.entries()) {
    const { asked } = stored;
    const next = steps[i + 1]?.asked;
    now = startOf(asked) ?? now;
    if (asked.runId !== runId) {
      before = begun(before, asked, now, rules);
      [runId, isOver, resumes] = [asked.runId, false, false];
    }
    if (!isOver && isJudged(asked)) {
      const history = historyOf(before, slots, asked.n);
      const goesOn = next?.runId === runId && goesOnAfter(asked, next, rules);
      const at = { session: { ...before, version: asked.n }, history, now };
      const { session: after, ...step } = watchStep(at, { ...stored, goesOn, resumes }, rules);
      watched.push({ runId, step: asked.step, slot: asked.n, ...step });
      before = after;
      isOver = step.ending !== undefined;
      resumes = asked.reply?.stop === 'pause_turn' && (next?.input.length ?? 0) === 0;
    } else before = passed(before, asked, now);
    if (isOver || next?.runId === runId || !wouldGoOn(stored)) continue;
    const end = next ? (startOf(next) ?? now) : endedAt;
    if (end === undefined) continue;
    const version = (stored.ran ?? asked).n + 1;
    const at = { session: { ...before, version }, history: historyOf(before, slots, version), now: end };
    const closing = watchPreflight(at, undefined, rules);
    before = closing.session;
    const { heard, ending } = closing;
    if (ending) watched.push({ runId, step: asked.step + 1, heard, ending, unasked: true });
  }
  return watched;
}

/** The session at the beginning of a run. */
const begun = (session: Session, { runId }: ModelSlot, now: number, { guards }: Rules): Session => ({
  ...session,
  metadata: { guardrails: slicesForNewRun(guards, session.metadata.guardrails) },
  run: { ...newRun, id: runId, startedAt: now },
});

/** Whether the guards of a live run have judged a step like this one. */
const isJudged = (asked: ModelSlot): boolean =>
  !asked.made && !isFold(asked) && !isAssessment(asked) && !asked.reply?.imported;

/** The session after a slot that guards do not judge: what it bought, and the context that it begins. */
function passed(session: Session, asked: ModelSlot, now: number): Session {
  const bought = asked.fold?.summary ?? asked.assessment?.bought;
  const paid = bought ? charge(session, totalsOf(bought, bought)) : session;
  const { fold } = asked;
  return fold ? { ...paid, contextStart: fold.start, fold: { slot: asked.n, at: now } } : paid;
}

const historyOf = ({ contextStart }: Session, slots: readonly Slot[], below: number): Slot[] =>
  slots.filter(({ n }) => n >= contextStart && n < below);

/**
 * Whether a stored run went on after an answer for a reason that no preset decides: a person wrote, the system called a tool for
 * proof, or a guard sent the answer back that these rules do not have.
 */
function goesOnAfter(asked: ModelSlot, next: ModelSlot, { guards }: Rules): boolean {
  const isOther = ({ guard, kind }: Heard['verdict']) =>
    kind === 'nudge' && !guards.some(({ name }) => name === guard);
  return (
    next.made !== undefined ||
    next.input.some(({ eventId }) => eventId !== undefined) ||
    asked.verdicts.some(isOther)
  );
}

/** Whether the step after the last stored one would have asked the model: its calls are over, and no answer ended the run. */
const wouldGoOn = ({ asked, ran }: StepSlots): boolean => hasReply(asked) && ran !== undefined;

/** Epoch ms; undefined for imported and older slots. */
function startOf({ at }: ModelSlot): number | undefined {
  if (at === undefined) return undefined;
  const { startedAt, claimMs } = timingIn(at);
  return startedAt + claimMs;
}

/** Outcomes of a step without a reply: the model was not asked, or it failed. */

import type { AgUiEvent } from '../../../contract/events.ts';
import type { Stages } from '../../guardrails/guard.ts';
import { type Judgement, respiteOf } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { charge } from '../../session/charge.ts';
import { modelAt } from '../../session/pinned.ts';
import { runOf, withRun } from '../../session/session.ts';
import type { ModelSlot } from '../../session/slots.ts';
import { storedTiming } from '../../session/timing.ts';
import type { Halt } from '../../session/verdict.ts';
import type { Draft, Ending } from '../draft.ts';
import { toUsageEvent } from '../model/account.ts';
import { failsOver, switchModel } from '../model/failover.ts';
import { drainWithFiles } from '../model/input-files.ts';
import type { Lost } from '../model/lost.ts';
import { lostWithout, type NoAnswer, type OverBudget } from '../model/model-call.ts';
import { withoutRefusedPart } from '../model/refused-part.ts';
import { counted, decideRetry, triesOf, withinTimeout } from '../model/retry.ts';
import { type Turn, waitingInput } from '../model/turn.ts';
import { keepSlots } from '../open/keep-slots.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { SessionPart, Step, WritingPart } from '../open/step-context.ts';
import { lastObject, summaryOf } from './final-answer.ts';
import { foldInstead } from './fold-instead.ts';
import { refusal } from './over-budget.ts';
import { refusedAs, toldOmissions } from './refused.ts';

/**
 * The model is not asked, because preflight says so or because nothing fits its window, and there is no stored reply. The
 * messages that began the run go into history; later ones begin a run of their own.
 */
export async function refused(
  step: Step,
  admitted: Judgement<Stages['preflight']['verdict']>,
  halt: Omit<Halt, 'kind'>,
  { events = [], lost }: { readonly events?: readonly AgUiEvent[] } & Lost = {},
): Promise<Draft> {
  const ending: Ending = { kind: 'halt', halt };
  const run = runOf(step.session);
  if (run.steps > 0) {
    const { session, spoken } = admitted;
    if (step.isRetry) tellSnapshot(step, [], []);
    const left = { session, input: [], incorporated: [], spoken };
    return withInputOnly(step, withLost(step, left, waitingInput(step), lost), events, ending);
  }
  const drained = await drainWithFiles(step, admitted);
  return withInputOnly(step, withLost(step, drained, drained.input, lost), events, ending);
}

/**
 * Charges the probable cost of dead attempts at this step, because this step makes no request that would report it.
 *
 * @param asked what they have told the model, even if it is now left to the next run
 * @param known their cost as far as known, if they have asked for a summary
 */
function withLost(step: SessionPart, turn: Turn, asked: Turn['input'], known: Lost['lost']): Charged {
  return withCharge(turn, known ?? lostWithout(step, asked).lost);
}

const withCharge = (turn: Turn, lost: Lost['lost']): Charged =>
  lost ? { ...turn, session: charge(turn.session, lost), lost } : turn;

type Charged = Turn & Pick<ModelSlot, 'lost' | 'omitted' | 'refused'>;

/** The model could not be asked: try again later from the queue, ask another model, or give up. The input is stored in each case. */
export async function failed(
  step: WritingPart & Pick<Step, 'atCommit' | 'guards'>,
  drained: Turn,
  { failure, unlisted, apart, failedAt, lost, used, durationMs }: NoAnswer,
): Promise<Draft> {
  const { io, loaded } = step;
  const charged = withCharge(drained, lost);
  const run = runOf(charged.session);
  const now = io.clock.now();
  const { model } = modelAt(loaded.pinned, run.fallback);
  const spent = used ? [toUsageEvent(charged.session, run.steps + 1, apart ?? model, used)] : [];
  const worked = withRun(charged.session, { activeMs: run.activeMs + durationMs });
  const smaller = foldInstead(step, worked, failure);
  if (smaller) return withInputOnly(step, { ...charged, session: smaller.session }, spent, smaller.ending);
  if (failure.kind === 'fatal' && !unlisted && !apart) {
    if (failure.filtered) return filtered(step, { ...charged, session: worked }, spent);
    const accepted = await withoutRefusedPart(step, drained, { ...charged, session: worked }, failure);
    if (accepted) return withInputOnly(step, accepted, spent, { kind: 'continue' });
  }
  const { counts, failing } = counted(run, failure, failedAt, unlisted === true);
  const turn = { ...charged, session: withRun(worked, counts) };
  const decision = decideRetry(failure, failing, loaded.pinned, io.ids.random);
  // Another model has the same tools, and its summary would be no better.
  const switched =
    !unlisted && !apart && failsOver(failure, decision)
      ? switchModel(turn, loaded.pinned, failure)
      : undefined;
  if (switched) return withInputOnly(step, switched.turn, [...spent, switched.event], { kind: 'continue' });
  if (decision.kind === 'give_up') {
    const halt = {
      state: 'error',
      reason: unlisted ? 'tool_error' : 'provider_error',
      code: failure.code,
      message: decision.message,
    } as const;
    return withInputOnly(step, turn, spent, { kind: 'halt', halt });
  }
  const { code, message } = failure;
  const respite = respiteOf(step.guards, turn.session);
  const delayMs = Math.min(
    withinTimeout(decision.delayMs, run, loaded.pinned, now),
    respite ? Math.max(0, respite.until - now) : Number.POSITIVE_INFINITY,
  );
  const value = {
    ...{ code, message, retry: counts.unlisted?.times ?? triesOf(runOf(turn.session)), delayMs },
    nextTryAt: new Date(now + delayMs).toISOString(),
    ...(decision.leftMs > 0 && { givesUpAt: new Date(failedAt + decision.leftMs).toISOString() }),
  };
  const event: AgUiEvent = { type: 'CUSTOM', name: 'steploop.retry', value };
  return withInputOnly(step, turn, [...spent, event], { kind: 'continue', delayMs });
}

/** The server refuses to answer this content, and says so with an error instead of a reply. */
async function filtered(step: WritingPart, turn: Charged, spent: readonly AgUiEvent[]): Promise<Draft> {
  const ending: Ending = { kind: 'halt', halt: refusedAs("its server's content filter") };
  return withInputOnly(step, { ...turn, refused: true }, spent, ending);
}

/** The model was not asked, because the tenant's daily budget does not cover the call. The input is stored. */
export async function overBudget(
  step: WritingPart,
  drained: Turn,
  { over, lost }: OverBudget,
): Promise<Draft> {
  const { halt, notice } = refusal(over);
  return withInputOnly(step, withCharge(drained, lost), [notice], { kind: 'halt', halt });
}

/** Nothing is new since the model's last reply, because every event had already been incorporated. The run is over. */
export function nothingToAsk(
  step: Pick<Step, 'answers' | 'history' | 'session'>,
  { session, incorporated, spoken }: Turn,
): Draft {
  const object = lastObject(step);
  return {
    session,
    incorporated,
    spoken,
    events: [],
    ending: { kind: 'complete', reason: 'completed' },
    ...(object && { result: { object } }),
  };
}

/** A step without a reply. Its input, if any, still becomes history, because an event is incorporated once. */
export async function withInputOnly(
  step: WritingPart,
  turn: Charged,
  events: readonly AgUiEvent[],
  ending: Ending,
): Promise<Draft> {
  const { session, input, incorporated, spoken, lost, omitted, refused } = turn;
  const run = runOf(step.session);
  // An earlier summary is still its result, even if the model fails afterwards.
  const summary = ending.kind === 'halt' ? summaryOf(step.history, run.id) : undefined;
  const draft = { incorporated, spoken, events, ending, ...(summary && { result: { summary } }) };
  if (input.length === 0 && !lost && !omitted && !refused) return { ...draft, session };
  const slot: ModelSlot = {
    kind: 'model',
    n: step.session.version,
    runId: run.id,
    step: run.steps + 1,
    input,
    verdicts: spoken,
    ...defined({ lost, omitted, refused }),
    at: storedTiming(step.loaded.timing),
    ...(session.workspace && { workspace: session.workspace }),
  };
  await keepSlots(step, [slot]);
  const told = toldOmissions(step.history, slot);
  return { ...draft, events: [...events, ...told], session: { ...session, version: slot.n + 1 } };
}

import type { AgUiEvent } from '../../../contract/events.ts';
import type { GivenAnswer, Stages } from '../../guardrails/guard.ts';
import { type Judgement, judge, respiteOf } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { charge } from '../../session/charge.ts';
import { dueOf, endUnderFlag } from '../../session/made.ts';
import { modelAt } from '../../session/pinned.ts';
import { type Reply, withoutCalls } from '../../session/reply.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import type { ModelSlot, StoredReply } from '../../session/slots.ts';
import { storedTiming } from '../../session/timing.ts';
import type { Halt, Spoken } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import type { Draft, Ending } from '../draft.ts';
import { type Accounted, toUsageEvent } from '../model/account.ts';
import { failsOver, switchModel } from '../model/failover.ts';
import { drainWithFiles } from '../model/input-files.ts';
import type { Lost } from '../model/lost.ts';
import { lostWithout, type NoAnswer, type OverBudget, sumsUp } from '../model/model-call.ts';
import { withoutRefusedPart } from '../model/refused-part.ts';
import { counted, decideRetry, triesOf, withinTimeout } from '../model/retry.ts';
import { internal, withNudges } from '../model/told.ts';
import { type Turn, waitingInput } from '../model/turn.ts';
import { keepSlots } from '../open/keep-slots.ts';
import { tellSnapshot } from '../open/snapshot.ts';
import type { SessionPart, Step, WritingPart } from '../open/step-context.ts';
import { endingByStop } from './by-stop.ts';
import { answerTexts, joinedAnswer, lastObject, summaryOf } from './final-answer.ts';
import { foldInstead } from './fold-instead.ts';
import { refusal } from './over-budget.ts';
import { refusedAs, toldOmissions } from './refused.ts';

type Replied = Judgement<Stages['reply']['verdict']>;

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

/** A cancel has cut the reply. Guards do not count it, and the commit, which sees the cancel, ends the run. */
export async function cut(
  step: WritingPart & Pick<Step, 'listed'>,
  accounted: Accounted,
  halt: Halt | undefined,
): Promise<Draft> {
  return withReply(
    step,
    accounted,
    accounted.session,
    [],
    halt ? { kind: 'halt', halt } : { kind: 'continue' },
  );
}

/** A guard ends the run on this reply: its text stays; its calls never ran and are removed from history. */
export async function halted(
  step: WritingPart & Pick<Step, 'listed'>,
  accounted: Accounted,
  judged: Replied,
  halt: Halt,
): Promise<Draft> {
  return withReply(step, stripped(accounted), judged.session, judged.spoken, { kind: 'halt', halt });
}

/** A guard drops the calls of this reply, and the run continues. */
export async function skipped(
  step: WritingPart & Pick<Step, 'listed'>,
  accounted: Accounted,
  judged: Replied,
): Promise<Draft> {
  const session = withNudges(judged.session, judged.spoken);
  return withReply(step, stripped(accounted), session, judged.spoken, { kind: 'continue' });
}

/** The reply without its calls. The content that guards judged is stored beside it, for a step that adopts it. */
function stripped(accounted: Accounted): Accounted {
  const { reply } = accounted.answer;
  return reply.calls.length > 0 ? replacing(accounted, withoutCalls(reply).content) : accounted;
}

function replacing(accounted: Accounted, content: Reply['content']): Accounted {
  const { answer } = accounted;
  return {
    ...accounted,
    answer: { ...answer, reply: { ...answer.reply, content } },
    asReceived: answer.reply.content,
  };
}

/** The model's thinking becomes its answer, for clients too. */
function promoted(
  { stream, recovered }: Pick<Step, 'stream' | 'recovered'>,
  accounted: Accounted,
): Accounted {
  const { reply, messageId } = accounted.answer;
  const text = (reply.reasoning ?? '').trim();
  // If the reply was recovered, the snapshot has already told it.
  if (!recovered.model) {
    stream.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    stream.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text });
    stream.emit({ type: 'TEXT_MESSAGE_END', messageId });
  }
  return replacing(accounted, [{ type: 'text', text }]);
}

/**
 * The reply asks for no tools, so the guards decide whether the run is complete. With `halt` the reply is a dead owner's, and
 * the run ends in any case.
 */
export async function answered(
  step: Step,
  accounted: Accounted,
  judged: Replied,
  halt: Halt | undefined,
): Promise<Draft> {
  const { reply } = accounted.answer;
  const { textOnly } = accounted.turn;
  const told = withNudges(judged.session, judged.spoken);
  const known: Ending | undefined = halt ? { kind: 'halt', halt } : endingByStop(reply, step.loaded.pinned);
  if (known) return withReply(step, accounted, judged.session, judged.spoken, known);
  const answer = answerIn(step, accounted);
  if (textOnly?.ending) {
    const ending: Ending = { kind: 'halt', halt: textOnly.ending };
    return withReply(step, accounted, judged.session, judged.spoken, ending, answer);
  }
  if (reply.stop === 'deadline') {
    // The cut is not the model's fault, so guards do not count it; the next invocation continues with its full time.
    const text = answer ? texts.wholeAfterCut : texts.resumeAfterDeadline;
    const session = withNudge(told, 'deadline', text);
    return withReply(step, accounted, session, judged.spoken, { kind: 'continue' });
  }

  const only = { textOnly: textOnly !== undefined, ...defined({ textOnlyFor: textOnly?.code }) };
  const seen = { reply, ...only, tools: step.tools, ...defined({ answer }) };
  const { session, verdict, spoken } = judge(step.guards, 'complete', told, seen);
  const all = [...judged.spoken, ...spoken];
  const given = answer?.();
  if (given?.kind === 'unfit' && step.answers && verdict?.kind !== 'nudge' && verdict?.kind !== 'halt') {
    const halt = step.answers.failed(given);
    return withReply(step, accounted, session, [...all, halt], { kind: 'halt', halt });
  }
  // If a gate wants a call first, a step of its own makes it.
  const complete = (ends: Pick<Complete, 'reason' | 'flag'>, kept = accounted) => {
    const due = dueOf(spoken, ends);
    return due
      ? withReply(step, kept, withRun(session, { due }), all, { kind: 'continue' })
      : withReply(step, kept, session, all, { kind: 'complete', ...ends }, answer);
  };
  switch (verdict?.kind) {
    case 'halt':
      return withReply(step, accounted, session, all, { kind: 'halt', halt: verdict });
    case 'nudge':
      return withReply(step, accounted, withNudge(session, verdict.code, verdict.text), all, {
        kind: 'continue',
      });
    case 'flag':
      return complete(endUnderFlag(verdict), verdict.promote ? promoted(step, accounted) : accounted);
    case 'check':
    case 'warn':
    case undefined:
      return complete({ reason: 'completed' });
    default:
      return verdict satisfies never;
  }
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

/**
 * The object in a reply, if the run has to answer with one, read once. Undefined if the answer is text, or the reply is a
 * summary instead.
 */
function answerIn(
  step: Pick<Step, 'answers' | 'history' | 'listed' | 'session'>,
  accounted: Accounted,
): (() => GivenAnswer) | undefined {
  const { answers, history } = step;
  if (!answers || sumsUp(accounted.turn.textOnly)) return undefined;
  let given: GivenAnswer | undefined;
  return () => {
    given ??= answers.read(answerTexts(history, toModelSlot(step, accounted, [])));
    return given;
  };
}

const withNudge = (session: Session, reason: string, text: string): Session => ({
  ...session,
  nudges: [...session.nudges, internal(reason, text)],
});

/** A reply as its slot stores it. */
export function toModelSlot(
  step: Pick<Step, 'listed' | 'session'>,
  { turn, answer, bill, asReceived }: Accounted,
  spoken: readonly Spoken[],
): ModelSlot {
  const { model, stop, content, read, usage, estimated, billing, contextTokens } = answer.reply;
  const { reasoning, cutCalls, callsComplete, malformed } = answer.reply;
  const { costUsd, notInPrice } = bill;
  const { fold } = step.session;
  const reply: StoredReply = {
    ...{ messageId: answer.messageId, model, stop, content, usage, costUsd, durationMs: answer.durationMs },
    ...defined({ estimated, notInPrice, aside: billing?.aside, contextTokens, fallback: answer.fallback }),
    ...(fold && { fold: fold.slot }),
    ...defined({ read, asReceived }),
    ...(reasoning && { reasoning }),
    ...(cutCalls && { cutCalls }),
    ...(callsComplete && { callsComplete }),
    ...(malformed && { malformed }),
  };
  const run = runOf(step.session);
  return {
    kind: 'model',
    n: step.session.version,
    runId: run.id,
    step: run.steps + 1,
    input: turn.input,
    reply,
    verdicts: [...turn.spoken, ...spoken],
    ...defined({ lost: answer.lost }),
    ...(answer.at && { at: answer.at }),
    ...(step.listed && { definition: step.listed }),
    ...defined({ textOnly: turn.textOnly }),
    ...(turn.session.workspace && { workspace: turn.session.workspace }),
  };
}

type Complete = Extract<Ending, { kind: 'complete' }>;

async function withReply(
  step: WritingPart & Pick<Step, 'listed'>,
  accounted: Accounted,
  session: Session,
  spoken: readonly Spoken[],
  ending: Ending,
  answer?: () => GivenAnswer,
): Promise<Draft> {
  const slot = toModelSlot(step, accounted, spoken);
  await keepSlots(step, [slot]);
  return {
    session: { ...session, version: slot.n + 1 },
    incorporated: accounted.turn.incorporated,
    spoken: slot.verdicts,
    events: [...accounted.events, ...toldOmissions(step.history, slot)],
    ending,
    ...(ending.kind !== 'continue' && { result: resultOf(step, slot, ending, answer?.()) }),
  };
}

/** The result of a run, beyond its last message: its answer if it is complete, and its summary however it ends. */
export function resultOf(
  { history, loaded }: Pick<Step, 'history' | 'loaded'>,
  slot: ModelSlot,
  { kind }: Ending,
  given: GivenAnswer | undefined,
): Draft['result'] {
  const { truncation } = loaded.pinned.guardrails;
  // An object is told by itself: after a cut it may have been given again from the start, and then the parts do not make one
  // text.
  const fits = given?.kind === 'fits';
  const answer = kind === 'complete' && truncation.join && !fits ? joinedAnswer(history, slot) : undefined;
  const summary = summaryOf([...history, slot], slot.runId);
  return {
    ...defined({ answer }),
    ...(fits && { object: given.object }),
    ...defined({ summary }),
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

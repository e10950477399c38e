import type { AgUiEvent } from '../contract/events.ts';
import type { Totals } from '../contract/session.ts';
import type { Draft, Ending } from './conclude.ts';
import { addUsage, costOf } from './cost.ts';
import { failsOver, switchModel } from './failover.ts';
import type { Halt, Spoken, Stages } from './guardrails/guard.ts';
import { type Judgement, judge } from './guardrails/judge.ts';
import { keepSlots } from './keep.ts';
import type { Answered, NoAnswer } from './model-call.ts';
import { runOf, type Step, tellSnapshot } from './open-step.ts';
import { modelAt } from './pin.ts';
import { type Reply, textOf, withoutCalls } from './reply.ts';
import { decideRetry } from './retry.ts';
import { type Session, withRun } from './session.ts';
import type { ModelSlot, StoredReply } from './slots.ts';
import { texts } from './texts.ts';
import { drain, internal, type Turn } from './turn.ts';

/** A reply and what it cost, on the session's account. */
export interface Accounted {
  readonly session: Session;
  readonly turn: Turn;
  readonly answer: Answered;
  readonly costUsd: number;
  readonly usageEvent: AgUiEvent;
}

type Replied = Judgement<Stages['reply']['verdict']>;

/**
 * Preflight said no, and no reply was kept. The messages that began the run go into history; those that came later
 * begin a run of their own.
 */
export async function refused(
  step: Step,
  admitted: Judgement<Stages['preflight']['verdict']>,
  halt: Halt,
): Promise<Draft> {
  const ending: Ending = { kind: 'halt', halt };
  if (runOf(step.session).steps > 0) {
    const { session, spoken } = admitted;
    if (step.recovering) tellSnapshot(step, [], []);
    return { session, incorporated: [], spoken, events: [], ending };
  }
  return withInputOnly(step, drain(step, admitted), [], ending);
}

/**
 * The model could not be asked: try again later, off the clock, ask another (T14), or give up (A8). The input is
 * kept either way.
 */
export async function failed(step: Step, drained: Turn, { failure, lost }: NoAnswer): Promise<Draft> {
  const { io, loaded } = step;
  const turn = lost ? { ...drained, session: charge(drained.session, lost), lost } : drained;
  const retries = runOf(turn.session).retries + 1;
  const decision = decideRetry(failure, retries, loaded.pinned.limits, io.ids.random());
  const switched = failsOver(failure, decision) ? switchModel(turn, loaded.pinned, failure) : undefined;
  if (switched) return withInputOnly(step, switched.turn, [switched.event], { kind: 'continue' });
  if (decision.kind === 'give_up') {
    const halt = {
      state: 'error',
      reason: 'provider_error',
      code: failure.code,
      message: decision.message,
    } as const;
    return withInputOnly(step, turn, [], { kind: 'halt', halt });
  }
  const { code, message } = failure;
  const { delayMs } = decision;
  const event: AgUiEvent = {
    type: 'CUSTOM',
    name: 'steploop.retry',
    value: { code, message, retry: retries, delayMs },
  };
  const session = withRun(turn.session, { retries });
  return withInputOnly(step, { ...turn, session }, [event], { kind: 'continue', delayMs });
}

/** Adds the call to the totals of run and session (A9, A10). */
export function account(step: Step, turn: Turn, answer: Answered): Accounted {
  const { reply, adopted, lost } = answer;
  const { price } = modelAt(step.loaded.pinned, answer.fallback);
  const costUsd = adopted?.costUsd ?? costOf(reply.usage, price);
  const before = lost ? charge(turn.session, lost) : turn.session;
  const run = runOf(before);
  const session = withRun(charge(before, { ...reply.usage, costUsd }), { steps: run.steps + 1, retries: 0 });
  const usageEvent: AgUiEvent = {
    type: 'CUSTOM',
    name: 'steploop.usage',
    value: {
      step: run.steps + 1,
      model: reply.model,
      usage: reply.usage,
      costUsd,
      totals: runOf(session).totals,
    },
  };
  return { session, turn, answer, costUsd, usageEvent };
}

/** Adds to the totals of the session and of its run. */
function charge(session: Session, { costUsd, ...usage }: Totals): Session {
  const totals = addUsage(session.totals, usage, costUsd);
  return withRun({ ...session, totals }, { totals: addUsage(runOf(session).totals, usage, costUsd) });
}

/** A guard ends the run on this reply: its text stays, its calls never ran and leave history (A11, A12). */
export async function halted(step: Step, accounted: Accounted, judged: Replied, halt: Halt): Promise<Draft> {
  const stripped = {
    ...accounted,
    answer: { ...accounted.answer, reply: withoutCalls(accounted.answer.reply) },
  };
  return withReply(step, stripped, judged.session, judged.spoken, { kind: 'halt', halt });
}

/**
 * The reply asks for no tools: whether the run is complete is for the guards to say. With `halt` the reply is a dead
 * owner's, and the run ends all the same.
 */
export async function answered(
  step: Step,
  accounted: Accounted,
  judged: Replied,
  halt: Halt | undefined,
): Promise<Draft> {
  const { reply } = accounted.answer;
  const known: Ending | undefined = halt ? { kind: 'halt', halt } : endingByStop(reply);
  if (known) return withReply(step, accounted, judged.session, judged.spoken, known);
  if (reply.stop === 'deadline') {
    // Not the model's doing, so no guard counts it; the next invocation goes on with all its time.
    const session = withNudge(judged.session, 'deadline', texts.resumeAfterCut);
    return withReply(step, accounted, session, judged.spoken, { kind: 'continue' });
  }

  const { session, verdict, spoken } = judge(step.guards, 'complete', judged.session, { reply });
  const all = [...judged.spoken, ...spoken];
  switch (verdict?.kind) {
    case 'halt':
      return withReply(step, accounted, session, all, { kind: 'halt', halt: verdict });
    case 'nudge':
      return withReply(step, accounted, withNudge(session, verdict.code, verdict.text), all, {
        kind: 'continue',
      });
    case 'flag': {
      const reason = verdict.reason === 'completed_truncated' ? verdict.reason : 'completed';
      return withReply(step, accounted, session, all, { kind: 'complete', reason });
    }
    case 'warn':
    case undefined:
      return withReply(step, accounted, session, all, { kind: 'complete', reason: 'completed' });
    default:
      return verdict satisfies never;
  }
}

/** Nothing is new since the model's last word: every event had been incorporated before. The run is over. */
export const nothingToAsk = ({ session, incorporated, spoken }: Turn): Draft => ({
  session,
  incorporated,
  spoken,
  events: [],
  ending: { kind: 'complete', reason: 'completed' },
});

const withNudge = (session: Session, reason: string, text: string): Session => ({
  ...session,
  nudges: [...session.nudges, internal(reason, text)],
});

/** A reply as its slot keeps it. */
export function toModelSlot(
  step: Step,
  { turn, answer, costUsd }: Accounted,
  spoken: readonly Spoken[],
): ModelSlot {
  const { model, stop, content, usage, cutCalls, callsComplete, malformed } = answer.reply;
  const reply: StoredReply = {
    messageId: answer.messageId,
    model,
    ...(answer.fallback !== undefined && { fallback: answer.fallback }),
    stop,
    content,
    usage,
    costUsd,
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
    ...(answer.lost && { lost: answer.lost }),
  };
}

/** Endings that the stop reason alone decides (platform-facts.md section 2). */
function endingByStop(reply: Reply): Ending | undefined {
  const detail = reply.stopDetail ?? 'no reason given';
  const says = (halt: Omit<Halt, 'kind'>): Ending => ({ kind: 'halt', halt });
  switch (reply.stop) {
    case 'pause_turn':
      return { kind: 'continue' };
    case 'refusal':
      return says({
        state: 'error',
        reason: 'blocked',
        code: 'refusal',
        message: `The model refused: ${detail}.`,
      });
    case 'context_limit':
      return says({
        state: 'budget_exceeded',
        reason: 'context_limit',
        code: 'context_limit',
        message: "The conversation has reached the end of the model's context window.",
      });
    case 'tool_use':
      return textOf(reply.content) === '' ? says(malformed) : undefined;
    case 'unknown':
      return textOf(reply.content) === ''
        ? says({
            state: 'waiting_for_input',
            reason: 'awaiting_user',
            code: 'unknown_stop_reason',
            message: `The model stopped for a reason that this version does not know (${detail}). Send a message to go on.`,
          })
        : undefined;
    case 'end_turn':
    case 'max_tokens':
    case 'deadline':
    case 'interrupted':
      return undefined;
    default:
      return reply.stop satisfies never;
  }
}

const malformed = {
  state: 'error',
  reason: 'model_error',
  code: 'no_calls',
  message: 'The model stopped to use tools, and named none.',
} as const;

async function withReply(
  step: Step,
  accounted: Accounted,
  session: Session,
  spoken: readonly Spoken[],
  ending: Ending,
): Promise<Draft> {
  const slot = toModelSlot(step, accounted, spoken);
  await keepSlots(step, [slot]);
  return {
    session: { ...session, version: slot.n + 1 },
    incorporated: accounted.turn.incorporated,
    spoken: slot.verdicts,
    events: [accounted.usageEvent],
    ending,
  };
}

/** A step without a reply. Its input, if it has any, becomes history all the same: it is incorporated once. */
async function withInputOnly(
  step: Step,
  turn: Turn & Pick<ModelSlot, 'lost'>,
  events: readonly AgUiEvent[],
  ending: Ending,
): Promise<Draft> {
  const { session, input, incorporated, spoken, lost } = turn;
  if (input.length === 0 && !lost) return { session, incorporated, spoken, events, ending };
  const run = runOf(step.session);
  const slot: ModelSlot = {
    kind: 'model',
    n: step.session.version,
    runId: run.id,
    step: run.steps + 1,
    input,
    verdicts: spoken,
    ...(lost && { lost }),
  };
  await keepSlots(step, [slot]);
  return { session: { ...session, version: slot.n + 1 }, incorporated, spoken, events, ending };
}

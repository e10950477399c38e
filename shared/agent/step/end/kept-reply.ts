import type { GivenAnswer } from '../../guardrails/guard.ts';
import { defined } from '../../plain/defined.ts';
import { runOf, type Session } from '../../session/session.ts';
import type { ModelSlot, StoredReply } from '../../session/slots.ts';
import type { Spoken } from '../../session/verdict.ts';
import type { Draft, Ending } from '../draft.ts';
import type { Accounted } from '../model/account.ts';
import { keepSlots } from '../open/keep-slots.ts';
import type { Step, WritingPart } from '../open/step-context.ts';
import { joinedAnswer, summaryOf } from './final-answer.ts';
import { toldOmissions } from './refused.ts';

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

/** Stores the reply, and drafts the session after it. */
export async function withReply(
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

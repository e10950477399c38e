/** Outcomes of a step with a reply that runs no tools. */

import type { GivenAnswer, Stages } from '../../guardrails/guard.ts';
import { type Judgement, judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { dueOf, endUnderFlag } from '../../session/made.ts';
import { type Reply, withoutCalls } from '../../session/reply.ts';
import { type Session, withRun } from '../../session/session.ts';
import type { Halt } from '../../session/verdict.ts';
import { texts } from '../../texts.ts';
import type { Draft, Ending } from '../draft.ts';
import type { Accounted } from '../model/account.ts';
import { sumsUp } from '../model/model-call.ts';
import { internal, withNudges } from '../model/told.ts';
import type { Step, WritingPart } from '../open/step-context.ts';
import { endingByStop } from './by-stop.ts';
import { answerTexts } from './final-answer.ts';
import { toModelSlot, withReply } from './kept-reply.ts';

type Replied = Judgement<Stages['reply']['verdict']>;

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

type Complete = Extract<Ending, { kind: 'complete' }>;

import type { AnyGuard } from '../../guardrails/guard.ts';
import { judge } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import { dueOf, endUnderFlag } from '../../session/made.ts';
import { runOf, type Session, withRun } from '../../session/session.ts';
import type { ModelSlot, Slot } from '../../session/slots.ts';
import type { Spoken } from '../../session/verdict.ts';
import type { Draft, Ending } from '../draft.ts';
import { lastObject } from '../end/final-answer.ts';
import { resultOf } from '../end/kept-reply.ts';
import { internal } from '../model/told.ts';
import type { SessionPart, Step } from '../open/step-context.ts';

/** How the run goes on when the call that the system made is over. */
interface Gated {
  readonly session: Session;
  readonly spoken: readonly Spoken[];
  readonly onward: Pick<Draft, 'ending' | 'result'>;
}

/**
 * Decides whether the answer that waited for a system call is accepted, based on the call's result: the run ends as it was
 * going to, the model is told what is wrong, or another call becomes due. In the middle of a run the run just continues. Pure.
 *
 * @param gates the guards that ask for such calls; all others judged the answer when it was given
 */
export function gated(
  step: SessionPart & Pick<Step, 'answers' | 'tools'>,
  before: Session,
  gates: readonly AnyGuard[],
): Gated {
  const { due } = runOf(before);
  const over = withRun(before, { due: undefined });
  const answer = lastAnswer(step);
  if (!due?.ends || !answer) return { session: over, spoken: [], onward: { ending: { kind: 'continue' } } };
  const { model, stop, content, usage } = answer.reply;
  const reply = { model, stop, content, usage, calls: [] };
  const seen = { reply, textOnly: false, tools: step.tools };
  const { session, verdict, spoken } = judge(gates, 'complete', over, seen);
  switch (verdict?.kind) {
    case 'halt':
      return { session, spoken, onward: ended(step, answer, { kind: 'halt', halt: verdict }) };
    case 'nudge': {
      const nudges = [...session.nudges, internal(verdict.code, verdict.text)];
      return { session: { ...session, nudges }, spoken, onward: { ending: { kind: 'continue' } } };
    }
    case 'check':
    case 'flag':
    case 'warn':
    case undefined: {
      const ends = verdict?.kind === 'flag' ? endUnderFlag(verdict) : due.ends;
      const next = dueOf(spoken, ends, due);
      if (next)
        return { session: withRun(session, { due: next }), spoken, onward: { ending: { kind: 'continue' } } };
      return { session, spoken, onward: ended(step, answer, { kind: 'complete', ...ends }) };
    }
    default:
      return verdict satisfies never;
  }
}

type AnswerSlot = ModelSlot & Required<Pick<ModelSlot, 'reply'>>;

const isAnswer = (slot: Slot): slot is AnswerSlot => slot.kind === 'model' && slot.reply !== undefined;

/** The last answer of the run. */
function lastAnswer({ history, session }: Pick<Step, 'history' | 'session'>): AnswerSlot | undefined {
  const last = history.findLast(isAnswer);
  return last?.runId === runOf(session).id ? last : undefined;
}

/** The end of a run, and its result. */
function ended(
  step: SessionPart & Pick<Step, 'answers'>,
  answer: AnswerSlot,
  ending: Ending,
): Gated['onward'] {
  const object = ending.kind === 'complete' ? lastObject(step) : undefined;
  const before = step.history.filter(({ n }) => n < answer.n);
  const result = resultOf({ ...step, history: before }, answer, ending, object && { kind: 'fits', object });
  return { ending, ...defined({ result }) };
}

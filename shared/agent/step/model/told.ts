import type { Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { defined } from '../../plain/defined.ts';
import type { Session } from '../../session/session.ts';
import type { InputTurn } from '../../session/slots.ts';
import type { Spoken, TextOnly } from '../../session/verdict.ts';

/** Text of ours for the model. */
export const internal = (reason: string, text: string): InputTurn => ({ text, internal: { reason } });

/** The guards' messages for the model. */
export const toldIn = (spoken: readonly Spoken[]): InputTurn[] =>
  spoken.flatMap((verdict) =>
    verdict.kind === 'nudge' && !verdict.unsaid ? [internal(verdict.code, verdict.text)] : [],
  );

/** The session with the nudges that the model reads beside the results of its calls. */
export const withNudges = (session: Session, spoken: readonly Spoken[]): Session => ({
  ...session,
  nudges: [...session.nudges, ...toldIn(spoken)],
});

/**
 * A step that may only write text, for several reasons, is asked for its summary if one reason wants that, and ends as the
 * first reason says.
 */
export function textOnlyOf({
  verdict,
  spoken,
}: Judgement<Stages['preflight']['verdict']>): TextOnly | undefined {
  if (verdict?.kind !== 'text_only') return undefined;
  const { ending } = verdict;
  const summary = spoken.find((said) => said.kind === 'text_only' && said.code === 'wrap_up');
  return summary?.kind === 'text_only' ? { ...summary, ...defined({ ending }) } : verdict;
}

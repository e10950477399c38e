import type { AnyGuard } from '../../guardrails/guard.ts';
import { slicesForNewRun } from '../../guardrails/judge.ts';
import { runIdAt } from '../../session/run-ids.ts';
import { newRun, runOf, type Session, withRun } from '../../session/session.ts';
import { waitsOutside } from '../../session/waits.ts';

export function beginRun(session: Session, guards: readonly AnyGuard[], now: number): Session {
  if (session.run && !session.run.ended) return session;
  const guardrails = slicesForNewRun(guards, session.metadata.guardrails);
  return {
    ...session,
    metadata: { guardrails },
    run: { ...newRun, id: runIdAt(session.key, session.version), startedAt: now },
  };
}

/** Whether a session is suspended while it waits for something outside. False if it was cancelled in that moment. */
export const isAtRest = ({ state }: Session): boolean =>
  state === 'waiting_for_input' || state === 'waiting_for_tool';

/** Continues the run after its wait. Time spent waiting for people, or for an answer from outside, does not count as its own. */
export function resumeRun(session: Session, now: number): Session {
  const { batch } = session;
  if (!batch || !waitsOutside(session) || !isAtRest(session)) return session;
  const { pausedMs, resumes } = runOf(session);
  const run = { pausedMs: pausedMs + Math.max(0, now - batch.since), resumes: resumes + 1 };
  return withRun({ ...session, state: 'running', reason: undefined }, run);
}

/** Unique in its run, even if a step is retried. */
export function nameOf(session: Session, attempts: number): string {
  const { steps, retries, folds, fallback, unlisted, due } = runOf(session);
  const { batch, mustFold } = session;
  const step = batch
    ? `step ${steps}, ${waitsOutside(session) ? 'decided' : 'results'}`
    : `step ${due ? steps : steps + 1}`;
  const again = [
    ...(due ? [due.guard] : []),
    ...(fallback ? [`fallback ${fallback}`] : []),
    ...(unlisted ? [`listing ${unlisted.times + 1}`] : []),
    ...(folds > 0 ? [`folded ${folds}`] : []),
    ...(mustFold ? ['to be folded'] : []),
    ...(retries > 0 ? [`retry ${retries}`] : []),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
  ];
  return [step, ...again].join(', ');
}

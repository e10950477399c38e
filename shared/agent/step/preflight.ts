import type { Stages } from '../guardrails/guard.ts';
import type { Judgement } from '../guardrails/judge.ts';
import { runOf } from '../session/session.ts';
import { controlsIn } from './controls.ts';
import type { Step } from './opened.ts';

/** What guards have said before any work. */
export type Admitted = Judgement<Stages['preflight']['verdict']>;

/** What guards see before any work. */
export function preflightOf(
  { loaded, session, io }: Step,
  abandon: boolean,
): Omit<Stages['preflight']['seen'], 'session'> {
  const { fence, attempts } = loaded.view;
  return {
    now: io.clock.now(),
    cancelled: fence.cancelGen > session.cancelSeen,
    attempts,
    abandoned: abandon,
    resources: io.resources.read(),
    asked: controlsIn(loaded, runOf(session).id),
    // Worked out only where it may be asked for (`shrinks.ts`).
    shrinks: () => false,
  };
}

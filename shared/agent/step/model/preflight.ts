import { limitOf, sizeOf } from '../../context/size.ts';
import type { Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { runOf } from '../../session/session.ts';
import { wrapUpAtOf } from '../../session/wrap-up.ts';
import { controlsIn } from '../open/controls.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { askedIn } from './turn.ts';

/** The verdict of the guards before any work. */
export type Admitted = Judgement<Stages['preflight']['verdict']>;

/** The state that guards see before any work. */
export function preflightOf(
  step: SessionPart & Pick<Step, 'io' | 'orphan'>,
  abandon: boolean,
): Omit<Stages['preflight']['seen'], 'session'> {
  const { loaded, session, io } = step;
  const { view, pinned } = loaded;
  const { fence, attempts } = view;
  const run = runOf(session);
  const now = io.clock.now();
  const isLate = (wrapUpAtOf(session) ?? Number.POSITIVE_INFINITY) <= now;
  return {
    now,
    cancelled: step.orphan || fence.cancelGen > session.cancelSeen,
    attempts,
    abandoned: abandon,
    resources: io.resources.read(),
    asked: [...controlsIn(loaded, run.id), ...(isLate ? ['wrap_up' as const] : [])],
    fullness: () => sizeOf(askedIn(step)) / limitOf(pinned, run.fallback),
    // Computed only when a guard may ask for it (`shrinks.ts`).
    shrinks: () => false,
  };
}

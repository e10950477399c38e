import type { Scenario } from '../../config/recovery.ts';
import { noRecoveries, type Recovered, recoveryGuard } from '../../guardrails/answers/recoveries.ts';
import { sliceOf } from '../../guardrails/judge.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Session } from '../../session/session.ts';
import { texts } from '../../texts.ts';
import type { Draft, Ended } from '../draft.ts';
import { internal } from '../model/told.ts';
import type { Step } from '../open/step-context.ts';

/**
 * Lets a run continue that a guard was about to end, if runs can recover from the cause and have not done so too often. The
 * conversation, the budgets and all counters stay, except for the counter of the guard that spoke. Any other halt is final
 * (docs/guards.md, "Rules"). Pure.
 */
export function recover(step: Pick<Step, 'loaded'>, draft: Draft): Draft {
  if (draft.ending.kind !== 'halt') return draft;
  const { halt } = draft.ending;
  const recovered = recoveredFrom(halt, draft.session, step.loaded.pinned.guardrails.recovery);
  if (!recovered) return draft;
  const { session, value } = recovered;
  return {
    ...draft,
    session,
    events: [...draft.events, { type: 'CUSTOM', name: 'steploop.recovery', value }],
    ending: { kind: 'continue' },
  };
}

/** The session with which the run continues in place of a halt, and what people are told. Undefined if the halt is final. */
export function recoveredFrom(halt: Ended, session: Session, limits: Pinned['guardrails']['recovery']) {
  const wanted = wantedBy(halt);
  if (!wanted) return undefined;
  const { scenario, text } = wanted;
  const used = recoveredIn(session);
  if (used.total >= limits.total || used[scenario] >= limits.per[scenario]) return undefined;

  const next = { ...used, total: used.total + 1, [scenario]: used[scenario] + 1 };
  const { [halt.guard ?? '']: _fired, ...others } = session.metadata.guardrails;
  return {
    session: {
      ...session,
      metadata: { guardrails: { ...others, [recoveryGuard.name]: next } },
      nudges: [...session.nudges, internal(`recovery_${scenario}`, text)],
    },
    text,
    value: { scenario, code: halt.code, attempt: next[scenario], total: next.total },
  };
}

/** The cause to recover from, as the guard says. A guard that says nothing halts a loop. */
function wantedBy(halt: Ended): { scenario: Scenario; text: string } | undefined {
  if (halt.recover === 'never') return undefined;
  if (halt.recover) return halt.recover;
  return halt.reason === 'loop_halt'
    ? { scenario: 'infinite_loop', text: texts.loopHalted(halt.message) }
    : undefined;
}

const recoveredIn = (session: Session): Recovered => ({
  ...noRecoveries,
  ...(sliceOf(recoveryGuard, session.metadata.guardrails) as Partial<Recovered>),
});

import type { Scenario } from '../../config/recovery.ts';
import { noRecoveries, type Recovered, recoveryGuard } from '../../guardrails/answers/recoveries.ts';
import { sliceOf } from '../../guardrails/judge.ts';
import type { Session } from '../../session/session.ts';
import { texts } from '../../texts.ts';
import type { Draft, Ended } from '../draft.ts';
import { internal } from '../model/turn.ts';
import type { Step } from '../open/step-context.ts';

/**
 * Lets a run continue that a guard was about to end, if runs can recover from the cause and have not done so too often. The
 * conversation, the budgets and all counters stay, except for the counter of the guard that spoke. Any other halt is final
 * (docs/guards.md, "Rules"). Pure.
 */
export function recover(step: Step, draft: Draft): Draft {
  if (draft.ending.kind !== 'halt') return draft;
  const { halt } = draft.ending;
  const wanted = wantedBy(halt);
  if (!wanted) return draft;
  const { scenario, text } = wanted;
  const limits = step.loaded.pinned.guardrails.recovery;
  const used = recoveredIn(draft.session);
  if (used.total >= limits.total || used[scenario] >= limits.per[scenario]) return draft;

  const next = { ...used, total: used.total + 1, [scenario]: used[scenario] + 1 };
  const { [halt.guard ?? '']: _fired, ...others } = draft.session.metadata.guardrails;
  return {
    ...draft,
    session: {
      ...draft.session,
      metadata: { guardrails: { ...others, [recoveryGuard.name]: next } },
      nudges: [...draft.session.nudges, internal(`recovery_${scenario}`, text)],
    },
    events: [
      ...draft.events,
      {
        type: 'CUSTOM',
        name: 'steploop.recovery',
        value: { scenario, code: halt.code, attempt: next[scenario], total: next.total },
      },
    ],
    ending: { kind: 'continue' },
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

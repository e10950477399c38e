import type { GuardStats } from '../../../contract/http.ts';
import type { ActiveTimeState } from '../../guardrails/budgets/active-time.ts';
import type { CountsState } from '../../guardrails/loops/counts.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Session } from '../../session/session.ts';

/** The counters of the loop guards, and the values at which the guards would speak. */
export function guardStats({ run, metadata }: Session, { guardrails }: Pinned): GuardStats {
  const {
    toolCounts = {},
    successes = 0,
    failures = 0,
  } = (metadata.guardrails.counts ?? {}) as Partial<CountsState>;
  const { since = 0 } = (metadata.guardrails.active_time ?? {}) as Partial<ActiveTimeState>;
  const { counts, cycles, noProgress, enabled } = guardrails.loop;
  return {
    enabled,
    turnElapsedSeconds: ((run?.activeMs ?? 0) - since) / 1000,
    toolCounts,
    totals: { calls: Object.values(toolCounts).reduce((sum, n) => sum + n, 0) },
    successes,
    failures,
    thresholds: {
      idempotent: counts.idempotent,
      mutating: counts.mutating,
      perTool: counts.perTool,
      noProgress,
      cycles,
      activeTurnSeconds: guardrails.time.activeTurnSeconds,
    },
  };
}

import type { SessionRow } from '../../../client/index.ts';
import { toneOf } from '../parts/words.ts';

/** Sessions that failed for one reason. */
export interface Failing {
  readonly reason: string;
  readonly count: number;
  /** The one that did so last. */
  readonly latest: SessionRow;
}

export interface Tally {
  readonly states: readonly (readonly [SessionRow['state'], number])[];
  /** Of sessions that failed, and the sentence of the latest of them. */
  readonly reasons: readonly Failing[];
  /** USD of sessions, the dearest first. */
  readonly agents: readonly { readonly agent: string; readonly usd: number; readonly sessions: number }[];
}

/** Counts sessions, which come those first that moved last. Pure. */
export function tally(rows: readonly SessionRow[]): Tally {
  const states = new Map<SessionRow['state'], number>();
  const reasons = new Map<string, { reason: string; count: number; latest: SessionRow }>();
  const agents = new Map<string, { agent: string; usd: number; sessions: number }>();
  for (const row of rows) {
    states.set(row.state, (states.get(row.state) ?? 0) + 1);
    if (toneOf(row.state) === 'bad') {
      const reason = row.reason ?? row.state;
      const known = reasons.get(reason) ?? { reason, count: 0, latest: row };
      reasons.set(reason, { ...known, count: known.count + 1 });
    }
    const known = agents.get(row.agent) ?? { agent: row.agent, usd: 0, sessions: 0 };
    agents.set(row.agent, {
      ...known,
      usd: known.usd + row.totals.costUsd,
      sessions: known.sessions + 1,
    });
  }
  return {
    states: [...states].toSorted(([, a], [, b]) => b - a),
    reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
    agents: [...agents.values()].toSorted((a, b) => b.usd - a.usd),
  };
}

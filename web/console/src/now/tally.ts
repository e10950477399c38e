import type { SessionRow } from '../../../client/index.ts';
import { toneOf } from '../parts/words.ts';

/** Sessions that failed for one reason. */
export interface Failing {
  readonly reason: string;
  readonly count: number;
  /** The one that did so last. */
  readonly latest: SessionRow;
}

/** What sessions of one kind have cost. */
export interface Spend {
  readonly name: string;
  /** For models, from the beginning of each session. */
  readonly usd: number;
  readonly sessions: number;
}

export interface Tally {
  readonly states: readonly (readonly [SessionRow['state'], number])[];
  /** Of sessions that failed, and the sentence of the latest of them. */
  readonly reasons: readonly Failing[];
  /** The dearest first. */
  readonly agents: readonly Spend[];
  /** By the model that answered last; those that none has answered yet are in none. */
  readonly models: readonly Spend[];
}

/** Counts sessions, which come those first that moved last. Pure. */
export function tally(rows: readonly SessionRow[]): Tally {
  const states = new Map<SessionRow['state'], number>();
  const reasons = new Map<string, Failing>();
  for (const row of rows) {
    states.set(row.state, (states.get(row.state) ?? 0) + 1);
    if (toneOf(row.state) !== 'bad') continue;
    const reason = row.reason ?? row.state;
    const known = reasons.get(reason) ?? { reason, count: 0, latest: row };
    reasons.set(reason, { ...known, count: known.count + 1 });
  }
  return {
    states: [...states].toSorted(([, a], [, b]) => b - a),
    reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
    agents: spendBy(rows, ({ agent }) => agent),
    models: spendBy(rows, ({ model }) => model),
  };
}

function spendBy(rows: readonly SessionRow[], nameOf: (row: SessionRow) => string | undefined): Spend[] {
  const found = new Map<string, Spend>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name === undefined) continue;
    const { usd, sessions } = found.get(name) ?? { usd: 0, sessions: 0 };
    found.set(name, { name, usd: usd + row.totals.costUsd, sessions: sessions + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.usd - a.usd);
}

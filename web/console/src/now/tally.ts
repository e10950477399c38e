import type { SessionRow } from '../../../client/index.ts';
import { toneOf } from '../parts/words.ts';

/** Sessions that failed for one reason. */
export interface Failing {
  readonly reason: string;
  readonly count: number;
  /** The session that failed last. */
  readonly latest: SessionRow;
}

/** Costs of one group of sessions. */
export interface Spend {
  readonly name: string;
  /** For models, since the start of each session. */
  readonly usd: number;
  readonly sessions: number;
}

export interface Tally {
  readonly states: readonly (readonly [SessionRow['state'], number])[];
  /** Failed sessions by reason, each with the latest of them. */
  readonly reasons: readonly Failing[];
  /** Most expensive first. */
  readonly agents: readonly Spend[];
  /** By the model that answered last; sessions without an answer are left out. */
  readonly models: readonly Spend[];
}

/** Its own cost: sessions below it are rows of their own. */
const ownUsd = ({ totals, delegatedUsd = 0 }: SessionRow): number =>
  Math.max(0, totals.costUsd - delegatedUsd);

/** Counts sessions. They come most recently active first. Pure. */
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
    found.set(name, { name, usd: usd + ownUsd(row), sessions: sessions + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.usd - a.usd);
}

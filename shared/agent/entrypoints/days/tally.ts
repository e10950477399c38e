import type { AgentFigures, Figures, ModelFigures, ToolFigures } from '../../../contract/days.ts';
import { addUsd } from '../../../contract/money.ts';
import { own } from '../../plain/merge.ts';
import type { SizeRow } from './sizes.ts';

/** Names of each kind that are counted by themselves. Tool sources may bring any number of names. */
const MOST_NAMES = 200;
/** Everything beyond them. No agent, model or tool has such a name. */
const OTHERS = '(others)';

/** Runs that ended for one reason. */
export interface ReasonRow {
  readonly name: string;
  readonly runs: number;
}

/** Counts of a day, or of a part of its sessions. Two of them add up, in any order. */
export interface Tally extends Omit<Figures, 'runs' | 'failed' | 'reasons' | 'durations'> {
  readonly sessions: number;
  readonly reasons: readonly ReasonRow[];
  readonly durations: readonly SizeRow[];
  readonly agents: readonly AgentFigures[];
  readonly models: readonly ModelFigures[];
  readonly tools: readonly ToolFigures[];
  /** Sessions are missing. */
  readonly partial?: true;
}

export const emptyTally: Tally = {
  ...{ sessions: 0, steps: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ...{ costUsd: 0, lostUsd: 0, infraUsd: 0 },
  ...{ reasons: [], durations: [], agents: [], models: [], tools: [] },
};

/** The sum of two tallies. Pure. */
export function addTallies(a: Tally, b: Tally): Tally {
  return {
    sessions: a.sessions + b.sessions,
    steps: a.steps + b.steps,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    costUsd: addUsd(a.costUsd, b.costUsd),
    lostUsd: addUsd(a.lostUsd, b.lostUsd),
    infraUsd: addUsd(a.infraUsd, b.infraUsd),
    reasons: addRows(a.reasons, b.reasons),
    durations: addRows(a.durations, b.durations),
    agents: bounded(addRows(a.agents, b.agents), ({ costUsd }) => costUsd),
    models: bounded(addRows(a.models, b.models), ({ costUsd }) => costUsd),
    tools: bounded(addRows(a.tools, b.tools), ({ calls }) => calls),
    ...((a.partial || b.partial) && { partial: true }),
  };
}

/** Rows with their names, and the sums of rows with equal names. */
export function addRows<Row extends { readonly name: string }>(
  a: readonly Row[],
  b: readonly Row[],
): readonly Row[] {
  if (b.length === 0) return a;
  const rows = new Map(a.map((row) => [row.name, row]));
  for (const row of b) {
    const known = rows.get(row.name);
    rows.set(row.name, known ? addRow(known, row) : row);
  }
  return [...rows.values()];
}

/** Adds all fields but the name, dollars exactly. */
function addRow<Row extends { readonly name: string }>(a: Row, b: Row): Row {
  const sums = Object.entries(a).map(([field, value]) => {
    const other = own(b as Readonly<Record<string, unknown>>, field);
    if (typeof value !== 'number' || typeof other !== 'number') return [field, value];
    return [field, field.endsWith('Usd') ? addUsd(value, other) : value + other];
  });
  return Object.fromEntries(sums) as Row;
}

/** The rows with the highest values, and one row for the others. */
function bounded<Row extends { readonly name: string }>(
  rows: readonly Row[],
  weightOf: (row: Row) => number,
): readonly Row[] {
  if (rows.length <= MOST_NAMES) return rows;
  const isOthers = ({ name }: Row) => name === OTHERS;
  const named = rows.filter((row) => !isOthers(row)).toSorted((a, b) => weightOf(b) - weightOf(a));
  const rest = [...rows.filter(isOthers), ...named.slice(MOST_NAMES - 1)].map((row) => ({
    ...row,
    name: OTHERS,
  }));
  return addRows(named.slice(0, MOST_NAMES - 1), addRows([], rest));
}

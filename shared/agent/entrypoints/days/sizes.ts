/**
 * Durations by size: a count for each of eight sizes between a duration and its double. Counts of several days add up, and take a
 * few hundred bytes for any number of runs; a percentile is then at most 5 % off (half of the step from one size to the next,
 * 2 ** (1 / 16) = 1.044).
 */

const SIZES_TO_DOUBLE = 8;

/** Runs of one size. */
export interface SizeRow {
  /** The size, as a whole number in text. */
  readonly name: string;
  readonly runs: number;
}

/** The size of a duration in ms. */
export const sizeOf = (ms: number): string =>
  String(Math.round(SIZES_TO_DOUBLE * Math.log2(Math.max(0, ms) + 1)));

/** The duration in ms that a size stands for. */
const msOf = (size: number): number => Math.round(2 ** (size / SIZES_TO_DOUBLE) - 1);

/** The smallest size that this share of all runs does not exceed, in ms; undefined without runs. */
export function percentile(rows: readonly SizeRow[], share: number): number | undefined {
  const sorted = rows
    .map(({ name, runs }) => ({ size: Number(name), runs }))
    .toSorted((a, b) => a.size - b.size);
  const all = sorted.reduce((sum, { runs }) => sum + runs, 0);
  let seen = 0;
  for (const { size, runs } of sorted) {
    seen += runs;
    if (seen >= share * all) return msOf(size);
  }
  return undefined;
}

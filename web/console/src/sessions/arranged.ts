import type { SessionRow } from '../../../client/index.ts';

/** Figures that loaded sessions are sorted by on the page. The API sorts by last activity alone. */
export const sortable = ['steps', 'tokens', 'cost', 'duration'] as const;
export type SortBy = (typeof sortable)[number];

/** Filters and sorting that the page applies to loaded sessions, since the API cannot. */
export interface Arrangement {
  /** USD: sessions that cost at least this. */
  readonly cost?: number;
  /** Seconds: sessions whose last run took at least this. */
  readonly ran?: number;
  /** Last activity, as the API sorts, if absent. */
  readonly sort?: SortBy;
  /** Lowest first. */
  readonly up?: boolean;
}

/** All tokens of a session, cached ones included. */
export const tokensOf = ({ totals }: SessionRow): number =>
  totals.input + totals.cacheRead + totals.cacheWrite + totals.output;

/** A figure of a session; undefined if it has none yet, such as the duration of a run in progress. */
export function figureOf(row: SessionRow, by: SortBy): number | undefined {
  switch (by) {
    case 'steps':
      return row.steps;
    case 'tokens':
      return tokensOf(row);
    case 'cost':
      return row.totals.costUsd;
    case 'duration':
      return row.ranMs;
    default:
      return by satisfies never;
  }
}

/** Whether the arrangement covers loaded sessions alone, so that the page has to say so. */
export const isPartial = ({ cost = 0, ran = 0, sort }: Arrangement): boolean =>
  cost > 0 || ran > 0 || sort !== undefined;

/** Loaded sessions, filtered and sorted. Sessions without the figure come last, and equal ones keep their order. Pure. */
export function arranged(rows: readonly SessionRow[], to: Arrangement): readonly SessionRow[] {
  const { cost = 0, ran = 0, sort, up } = to;
  const kept = rows.filter(
    (row) => row.totals.costUsd >= cost && (ran === 0 || (row.ranMs ?? -1) >= ran * 1_000),
  );
  if (sort === undefined) return kept;
  return kept.sort((a, b) => {
    const [left, right] = [figureOf(a, sort), figureOf(b, sort)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    return up ? left - right : right - left;
  });
}

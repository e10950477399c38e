import { dayOf } from '../../budgets/tenant-budgets.ts';

const DAY_MS = 24 * 3_600_000;

/** A UTC day, in epoch ms: from its beginning up to, but without, that of the next one. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** @param day `YYYY-MM-DD` */
export function spanOf(day: string): Span {
  const from = Date.parse(`${day}T00:00:00Z`);
  return { from, to: from + DAY_MS };
}

export const isIn = ({ from, to }: Span, at: number): boolean => at >= from && at < to;

/** The UTC day so many days after another one: negative for before. */
export const dayAfter = (day: string, days = 1): string => dayOf(spanOf(day).from + days * DAY_MS);

import { type Reason, reasons, type State, states } from '../../../../shared/contract/session.ts';
import type { SessionsAsked } from '../../../client/index.ts';

/** The time spans, in hours. */
export const spans = { hour: 1, day: 24, week: 168 } as const;
export type Span = keyof typeof spans;

/** The filters, as in the address: another person sees the same list by its link. */
export interface Filters {
  readonly state?: State;
  readonly reason?: Reason;
  readonly agent?: string;
  readonly source?: string;
  readonly user?: string;
  readonly q?: string;
  readonly within?: Span;
}

const text = (value: unknown): string | undefined =>
  value === undefined || value === '' ? undefined : String(value);

/** Reads the filters of an address; anything else in it is ignored. */
export const filtersOf = (search: Readonly<Record<string, unknown>>): Filters => ({
  state: states.find((state) => state === search.state),
  reason: reasons.find((reason) => reason === search.reason),
  agent: text(search.agent),
  source: text(search.source),
  user: text(search.user),
  q: text(search.q),
  within: (Object.keys(spans) as Span[]).find((span) => span === search.within),
});

/**
 * The query for the API.
 * @param now epoch ms
 */
export function askedBy({ state, within, ...rest }: Filters, now: number): SessionsAsked {
  return {
    ...rest,
    ...(state && { state: [state] }),
    // Rounded to the minute, or each read would be a new query.
    ...(within && {
      since: new Date(Math.floor(now / 60_000) * 60_000 - spans[within] * 3_600_000).toISOString(),
    }),
  };
}

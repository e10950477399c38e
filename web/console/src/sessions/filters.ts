import { type Reason, reasons, type State, states } from '../../../../shared/contract/session.ts';
import type { SessionsAsked } from '../../../client/index.ts';
import { type Arrangement, sortable } from './arranged.ts';

/** The time spans, in hours. */
export const spans = { hour: 1, day: 24, week: 168 } as const;
export type Span = keyof typeof spans;

/** The filters, as in the address: another person sees the same list by its link. */
export interface Filters extends Arrangement {
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

const amount = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
};

/** Reads the filters of an address; anything else in it is ignored. */
export const filtersOf = (search: Readonly<Record<string, unknown>>): Filters => ({
  state: states.find((state) => state === search.state),
  reason: reasons.find((reason) => reason === search.reason),
  agent: text(search.agent),
  source: text(search.source),
  user: text(search.user),
  q: text(search.q),
  within: (Object.keys(spans) as Span[]).find((span) => span === search.within),
  cost: amount(search.cost),
  ran: amount(search.ran),
  sort: sortable.find((by) => by === search.sort),
  up: search.up === true || search.up === 'true' || undefined,
});

/** The part of the filters that the API applies to all sessions. */
export const withoutArrangement = ({ cost, ran, sort, up, ...asked }: Filters): Filters => asked;

/**
 * The query for the API.
 * @param now epoch ms
 */
export function askedBy(filters: Filters, now: number): SessionsAsked {
  const { state, within, ...rest } = withoutArrangement(filters);
  return {
    ...rest,
    ...(state && { state: [state] }),
    // Rounded to the minute, or each read would be a new query.
    ...(within && {
      since: new Date(Math.floor(now / 60_000) * 60_000 - spans[within] * 3_600_000).toISOString(),
    }),
  };
}

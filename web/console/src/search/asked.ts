import type { SessionsAsked } from '../../../client/index.ts';
import { askedBy, type Filters, filtersOf } from '../sessions/filters.ts';

/** The address of a search: the text, and the filters for the sessions that are read. */
export interface SearchAsked extends Pick<Filters, 'state' | 'agent' | 'user' | 'within'> {
  readonly text?: string;
}

/** Reads the address of a search; anything else in it is ignored. */
export const searchOf = (search: Readonly<Record<string, unknown>>): SearchAsked => {
  const { state, agent, user, within } = filtersOf(search);
  const { text } = search;
  return {
    text: text === undefined || text === '' ? undefined : String(text),
    ...{ state, agent, user, within },
  };
};

/** The search that a list leads to: its words, and the filters that both have. */
export const searchFrom = ({ q, state, agent, user, within }: Filters): SearchAsked => ({
  text: q,
  ...{ state, agent, user, within },
});

/**
 * The query for the sessions that are read.
 * @param now epoch ms
 */
export const sessionsFor = ({ text, ...filters }: SearchAsked, now: number): SessionsAsked =>
  askedBy(filters, now);

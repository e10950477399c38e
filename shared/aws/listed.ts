/** Lists of sessions, from all partitions of their index. The first request for a list loads it. */

import { defined } from '../agent/plain/defined.ts';
import { tableLayout } from '../contract/env.ts';
import { states } from '../contract/session.ts';
import { isAskedFor, type Listed, type ListedSessions, type ListQuery } from '../edge/listed.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { endOf, listedPartitions, listingKey, sessionKeyOf } from './layout.ts';

/** Items of one partition that a page looks at when it filters: this many cost 100 read units and some tens of ms. */
const MOST_SEEN = 2_000;

export const createListed = (dynamo: Dynamo): ListedSessions => ({
  async page(tenant, query) {
    const partitions = listedPartitions(tenant, query.states ?? states);
    const parts = await Promise.all(partitions.map((partition) => readPart(dynamo, partition, query)));
    // Below the highest end of any part, some sessions have not been seen yet.
    const seenDownTo =
      parts
        .map(({ downTo }) => downTo)
        .sort()
        .at(-1) ?? '';
    const items = parts
      .flatMap(({ items }) => items)
      .filter(({ listedAt }) => listedAt >= seenDownTo)
      .sort((a, b) => (a.listedAt < b.listedAt ? 1 : -1));
    const page = items.slice(0, query.limit);
    const next = items.length > page.length ? page.at(-1)?.listedAt : seenDownTo;
    return { sessions: page.map(toListed), ...(next && { next }) };
  },

  async read(key) {
    const item = await dynamo.get(listingKey(key));
    // A deleted session is on no list.
    return item?.listedAs === undefined ? undefined : toListed(item);
  },

  async rename(key, to) {
    const names = (['title', 'metadata'] as const).filter((name) => to[name] !== undefined);
    const written = await dynamo.update({
      key: listingKey(key),
      set: names.map((name) => `#${name} = :${name}`),
      when: ['attribute_exists(#listedAs)'],
      values: to,
    });
    return written.kind === 'written' ? 'renamed' : 'unknown';
  },
});

/**
 * Reads from one partition as much as a page may need, and says down to which place it has looked: empty at the
 * partition's end.
 */
async function readPart(dynamo: Dynamo, partition: string, query: ListQuery) {
  const { limit, states: asked = states } = query;
  const items: Item[] = [];
  let seen = 0;
  const { min, max } = placesOf(query);
  if (min > max) return { items, downTo: '' };
  const { index, partitionKey, sortKey } = tableLayout.listed;
  const pages = dynamo.index({
    name: index,
    partition: { name: partitionKey, value: partition },
    sort: { name: sortKey, min, max },
    newestFirst: true,
    pageSize: isWhole(query) ? limit + 1 : 250,
  });
  for await (const { items: page, isLast } of pages) {
    seen += page.length;
    items.push(...page.filter((item) => asked.includes(item.state) && isAskedFor(toListed(item), query)));
    const downTo = page.at(-1)?.listedAt;
    if (downTo && !isLast && (items.length > limit || seen >= MOST_SEEN)) return { items, downTo };
  }
  return { items, downTo: '' };
}

/** Whether the query filters nothing out of what is read. */
const isWhole = ({ reason, agent, source, user, words }: ListQuery): boolean =>
  !(reason || agent || source || user || words);

/** The places that bound a page, both included. */
function placesOf({ since = 0, until, after }: ListQuery) {
  const highest = until === undefined ? endOf('9') : justBelow(placeAt(until));
  const [max = highest] = after === undefined ? [] : [justBelow(after), highest].sort();
  return { min: placeAt(since), max };
}

const placeAt = (at: number): string => String(at).padStart(15, '0');

/**
 * The highest place below this one: session ids consist of letters, digits, `-` and `_`, and `!` sorts before all of
 * them.
 */
const justBelow = (place: string): string => {
  const last = place.charCodeAt(place.length - 1);
  return `${place.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
};

function toListed(item: Item): Listed {
  const { pk, createdAt, title = '', source = '', user, metadata, forkOf } = item;
  const { agent, state, reason, steps, totals, delegatedUsd, message, waits, model, ranMs, at } = item;
  return {
    ...{ sessionId: sessionKeyOf(pk).sessionId, createdAt, title, source, agent, state, steps, totals, at },
    ...(user && { user }),
    ...(metadata && { metadata }),
    ...(forkOf && { forkOf }),
    ...(reason && { reason }),
    ...(message && { message }),
    ...(waits && { waits }),
    ...(model && { model }),
    ...defined({ ranMs, delegatedUsd }),
  };
}

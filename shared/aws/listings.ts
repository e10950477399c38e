/**
 * The entries of sessions in lists, one item each beside HEAD. Loaded by the first session that begins, waits or ends.
 */

import type { Listings } from '../agent/ports/listings.ts';
import type { Naming, Standing } from '../contract/listing.ts';
import type { SessionKey } from '../contract/session.ts';
import { placeOf } from '../edge/listed.ts';
import type { Dynamo } from './dynamo.ts';
import { listedAs, listingKey } from './layout.ts';

export const createListings = (dynamo: Dynamo): Listings => ({
  async moved(key, standing, naming) {
    const written = await dynamo.update({
      key: listingKey(key),
      ...clausesOf(standingValues(key, standing), namingValues(standing, naming)),
      when: ['attribute_not_exists(#order) OR #order < :order'],
    });
    if (written.kind === 'written' || !naming) return;
    // Either the session moved on before it was named, or this very write was applied before and its answer lost.
    await dynamo.update({
      key: listingKey(key),
      ...clausesOf({}, namingValues(standing, naming)),
      when: ['attribute_exists(#pk)'],
    });
  },
});

/** The values that each move writes; attributes without a value are removed. */
function standingValues(key: SessionKey, { at, order, ...standing }: Standing) {
  const { sessionId } = key;
  const { agent, state, reason, steps, totals, delegatedUsd, message, waits, model, ranMs } = standing;
  return {
    ...{ agent, state, reason, steps, totals, delegatedUsd, message, waits, model, ranMs, at, order },
    listedAs: listedAs(key, state),
    listedAt: placeOf({ at, sessionId }),
  };
}

/** The values that keep what the first write says. */
const namingValues = ({ at }: Pick<Standing, 'at'>, naming: Partial<Naming> = {}) => {
  const { title, source, user, metadata, forkOf } = naming;
  return { createdAt: at, title, source, user, metadata, forkOf };
};

function clausesOf(values: Readonly<Record<string, unknown>>, first: Readonly<Record<string, unknown>>) {
  const namesOf = (of: typeof values, isThere: boolean) =>
    Object.keys(of).filter((name) => (of[name] !== undefined) === isThere);
  return {
    set: [
      ...namesOf(values, true).map((name) => `#${name} = :${name}`),
      ...namesOf(first, true).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
    ],
    remove: namesOf(values, false).map((name) => `#${name}`),
    values: { ...values, ...first },
  };
}

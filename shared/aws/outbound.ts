import {
  atOnce,
  type Destination,
  type DestinationClaim,
  type OutboundStore,
  type Progress,
  type Released,
} from '../agent/outbound/destination.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { destinationKey, destinationPrefix, endOf, pkOf } from './layout.ts';

/**
 * Destinations in DynamoDB. A write that the SDK sends twice means the same as one: `put` keeps the first, `claim` is
 * granted to its owner again, `advance` is absolute, `knocks` is a change tag. A `release` whose answer was lost reads
 * as `lost`, which tells its owner to do nothing, as it would anyway.
 */
export function createOutbound(dynamo: Dynamo): OutboundStore {
  return {
    async put(key, destination) {
      const { pk, sk } = destinationKey(key, destination.name);
      const isNew = 'attribute_not_exists(#pk)';
      const { config, memory, ...plain } = destination;
      const item = { pk, sk, ...plain, config: JSON.stringify(config), memory: JSON.stringify(memory) };
      const written = await dynamo.put({ ...item, leaseUntil: 0 }, [isNew]);
      return written.kind === 'written' ? 'put' : 'exists';
    },

    async list(key) {
      const destinations: Destination[] = [];
      for await (const item of dynamo.range(pkOf(key), destinationPrefix, endOf(destinationPrefix))) {
        destinations.push(toDestination(item));
      }
      return destinations;
    },

    async hurry(key, name) {
      const { set, values } = write(atOnce);
      const when = ['attribute_exists(#pk)'];
      const written = await dynamo.update({ key: destinationKey(key, name), set, when, values });
      return written.kind === 'written' ? 'hurried' : 'unknown';
    },

    claim: (key, name, owner, leaseMs, now) => claim(dynamo, key, name, owner, now, now + leaseMs),

    async advance(key, name, owner, patch) {
      const isMine = '#owner = :owner';
      const { set, values } = write(patch);
      const written = await dynamo.update({
        key: destinationKey(key, name),
        // An update must set something.
        set: ['#owner = :owner', ...set],
        when: [isMine],
        values: { ...values, owner },
      });
      return written.kind === 'written' ? 'advanced' : 'lost';
    },

    async release(key, name, owner, knocks, patch = {}) {
      const isMine = '#owner = :owner';
      const nobodyKnocked = '#knocks = :knocks';
      const { set, values } = write(patch);
      const written = await dynamo.update({
        key: destinationKey(key, name),
        set: ['#leaseUntil = :zero', ...set],
        remove: ['#owner'],
        when: [isMine, nobodyKnocked],
        values: { ...values, owner, knocks, zero: 0 },
      });
      return written.kind === 'written' ? { kind: 'released' } : whyNotReleased(written.item, owner);
    },
  };
}

async function claim(
  dynamo: Dynamo,
  key: SessionKey,
  name: string,
  owner: string,
  now: number,
  until: number,
): Promise<DestinationClaim> {
  const itemKey = destinationKey(key, name);
  for (;;) {
    const exists = 'attribute_exists(#pk)';
    const nobodyHoldsIt = '#leaseUntil <= :now OR #owner = :owner';
    const taken = await dynamo.update({
      key: itemKey,
      set: ['#owner = :owner', '#leaseUntil = :until'],
      when: [exists, nobodyHoldsIt],
      values: { owner, now, until },
    });
    if (taken.kind === 'written') return { kind: 'claimed', destination: toDestination(taken.item) };
    if (!taken.item) return { kind: 'unknown' };

    // Only a holder can be told. If it has let go since, it is replaced instead.
    const isHeldAsSeen = '#owner = :holder';
    const knocked = await dynamo.update({
      key: itemKey,
      set: ['#knocks = #knocks + :one'],
      when: [isHeldAsSeen],
      values: { holder: taken.item.owner, one: 1 },
    });
    if (knocked.kind === 'written') return { kind: 'held' };
  }
}

const texts: readonly string[] = ['memory'] satisfies (keyof Progress)[];

function write(patch: Partial<Progress>) {
  const present = Object.entries(patch).filter(([, value]) => value !== undefined);
  return {
    set: present.map(([name]) => `#${name} = :${name}`),
    values: Object.fromEntries(
      present.map(([name, value]) => [name, texts.includes(name) ? JSON.stringify(value) : value]),
    ),
  };
}

function whyNotReleased(item: Item | undefined, owner: string): Released {
  return item?.owner === owner ? { kind: 'knocked', knocks: item.knocks } : { kind: 'lost' };
}

function toDestination(item: Item): Destination {
  const { name, kind, config, cursor, memory, state, attempts, nextAt, hopAt, knocks } = item;
  return {
    ...{ name, kind, cursor, state, attempts, nextAt, hopAt, knocks },
    config: JSON.parse(config),
    memory: JSON.parse(memory),
  };
}

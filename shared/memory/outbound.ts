import { atOnce, type Destination, type OutboundStore } from '../agent/outbound/destination.ts';
import type { SessionKey } from '../contract/session.ts';
import { copy } from './copy.ts';
import { mapIn, pkOf } from './table.ts';

interface Held {
  readonly destination: Destination;
  readonly owner?: string;
  readonly leaseUntil: number;
}

/** Adds deletion, for the process that deletes sessions. */
export interface MemoryOutbound extends OutboundStore {
  erase(key: SessionKey): void;
  holds(key: SessionKey): boolean;
}

/** Destinations in memory. Each operation is one synchronous critical section. */
export function createOutbound(): MemoryOutbound {
  const sessions = new Map<string, Map<string, Held>>();
  const of = (key: SessionKey) => mapIn(sessions, pkOf(key));
  return {
    erase: (key) => void sessions.delete(pkOf(key)),
    holds: (key) => (sessions.get(pkOf(key))?.size ?? 0) > 0,

    async put(key, destination) {
      if (of(key).has(destination.name)) return 'exists';
      of(key).set(destination.name, { destination: copy(destination), leaseUntil: 0 });
      return 'put';
    },

    async list(key) {
      const all = [...of(key).values()].map(({ destination }) => copy(destination));
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async hurry(key, name) {
      const held = of(key).get(name);
      if (!held) return 'unknown';
      of(key).set(name, { ...held, destination: { ...held.destination, ...atOnce } });
      return 'hurried';
    },

    async claim(key, name, owner, leaseMs, now) {
      const held = of(key).get(name);
      if (!held) return { kind: 'unknown' };
      if (held.leaseUntil <= now || held.owner === owner) {
        of(key).set(name, { ...held, owner, leaseUntil: now + leaseMs });
        return { kind: 'claimed', destination: copy(held.destination) };
      }
      const { destination } = held;
      of(key).set(name, { ...held, destination: { ...destination, knocks: destination.knocks + 1 } });
      return { kind: 'held' };
    },

    async advance(key, name, owner, patch) {
      const held = of(key).get(name);
      if (held?.owner !== owner) return 'lost';
      of(key).set(name, { ...held, destination: { ...held.destination, ...copy(patch) } });
      return 'advanced';
    },

    async release(key, name, owner, knocks, patch = {}) {
      const held = of(key).get(name);
      if (held?.owner !== owner) return { kind: 'lost' };
      const { destination } = held;
      if (destination.knocks !== knocks) return { kind: 'knocked', knocks: destination.knocks };
      of(key).set(name, { destination: { ...destination, ...copy(patch) }, leaseUntil: 0 });
      return { kind: 'released' };
    },
  };
}

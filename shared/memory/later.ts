import {
  type CallbackToken,
  type LaterAnswers,
  MOST_TOLD,
  type Settled,
  TOLD_EVERY_MS,
} from '../agent/ports/callbacks.ts';
import { keep } from './copy.ts';
import { apply, mapIn, pkOf, type Table } from './table.ts';
import { resolve } from './transitions.ts';

/** Late answers in memory. Each call's effect is one synchronous critical section. */
export function createLater(table: Table): LaterAnswers {
  return {
    urlOf: (token) => `https://steploop.test/callbacks/${token}`,

    async grant(hash, grant) {
      table.grants.set(hash, keep(grant));
    },

    async granted(hash): Promise<CallbackToken | undefined> {
      return table.grants.get(hash);
    },

    async settle(key, id, settled) {
      const answers = mapIn(table.settled, pkOf(key));
      const before = answers.get(id);
      if (before) return { stands: before, first: false };
      const stands = keep(settled);
      answers.set(id, stands);
      return { stands, first: true };
    },

    async resolve(key, id, now) {
      return apply(table, key, (head) => resolve(head, id, now));
    },

    async countTold(hash, now) {
      const { at, count } = table.told.get(hash) ?? { at: Number.NEGATIVE_INFINITY, count: 0 };
      if (count >= MOST_TOLD || !table.grants.has(hash)) return 'too_many';
      if (at > now - TOLD_EVERY_MS) return 'too_soon';
      table.told.set(hash, { at: now, count: count + 1 });
      return 'may';
    },

    async settled(key, ids) {
      const answers = table.settled.get(pkOf(key)) ?? new Map<string, Settled>();
      return Object.fromEntries(
        ids.flatMap((id) => {
          const one = answers.get(id);
          return one ? [[id, one] as const] : [];
        }),
      );
    },
  };
}

/** The memories of agents, one item a fact. Loaded by the first call that needs it. */

import type { Fact, Memories } from '../agent/memories/store.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { endOf, factKey, factPrefix, memoryPk } from './layout.ts';

export function createMemories(dynamo: Dynamo): Memories {
  return {
    async save(owner, { id, text, at, sessionId, by }) {
      const item = { ...factKey(owner, id), id, text, at, sessionId, by };
      const written = await dynamo.put(item, ['attribute_not_exists(#pk)']);
      return toFact(written.item ?? item);
    },

    async all(owner) {
      const facts: Fact[] = [];
      const items = dynamo.range(memoryPk(owner), factPrefix, endOf(factPrefix));
      for await (const item of items) facts.push(toFact(item));
      return facts.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },

    async forget(owner, id) {
      const removed = await dynamo.remove(factKey(owner, id), ['attribute_exists(#pk)']);
      return removed.kind === 'written' ? 'forgotten' : 'unknown';
    },
  };
}

const toFact = ({ id, text, at, sessionId, by }: Item): Fact => ({ id, text, at, sessionId, by });

import type { Fact, Memories, Owner } from '../agent/memories/store.ts';
import { keep } from './copy.ts';

/** Memories in memory. */
export function createMemories(): Memories {
  const owners = new Map<string, Map<string, Fact>>();
  const factsOf = ({ tenant, user }: Owner): Map<string, Fact> => {
    const key = JSON.stringify([tenant, user ?? null]);
    const facts = owners.get(key) ?? new Map<string, Fact>();
    owners.set(key, facts);
    return facts;
  };
  return {
    async save(owner, fact) {
      const facts = factsOf(owner);
      const kept = facts.get(fact.id) ?? keep(fact);
      facts.set(fact.id, kept);
      return kept;
    },
    all: async (owner) => [...factsOf(owner).values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    forget: async (owner, id) => (factsOf(owner).delete(id) ? 'forgotten' : 'unknown'),
  };
}

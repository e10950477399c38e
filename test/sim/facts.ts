/** The tools of the simulated agent that remember facts beyond their session, and the simulator's own records of it. */

import type { Memory, MemoryScope } from '../../shared/agent/memories/memory.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { factChecks } from './invariants/facts.ts';
import { check, type Ledger, type SessionFacts } from './ledger.ts';

/** Facts of one owner that a call has begun to save, and whether a call was told that the fact is kept. */
export type OwnedFacts = Map<string, { isTold: boolean }>;

/** The one person who writes to a session. Sessions with the same name have the same person, in every tenant. */
export const personOf = ({ key }: Pick<SessionFacts, 'key'>): string => `user:${key.sessionId}`;

/** The owner of a memory, as the simulator identifies owners. */
export const ownerOf = (facts: Pick<SessionFacts, 'key'>, scope: MemoryScope): string =>
  `${facts.key.tenant} ${scope === 'user' ? personOf(facts) : 'all'}`;

/** The facts of an owner. */
export function factsOf({ memories }: Pick<Ledger, 'memories'>, owner: string): OwnedFacts {
  const known = memories.get(owner) ?? new Map();
  memories.set(owner, known);
  return known;
}

/** The memory that a call saves to: always the same one. */
export const scopeOf = (callId: string): MemoryScope =>
  Number.parseInt(hash(callId).slice(0, 2), 16) % 2 === 0 ? 'user' : 'tenant';

/** The text that a call saves. It names its owner, so that texts of another owner are recognized. */
export const textOf = (facts: Pick<SessionFacts, 'key'>, callId: string): string =>
  `[${ownerOf(facts, scopeOf(callId))}] knows ${facts.key.sessionId} ${callId}`;

/** Saves the fact of a call. */
export async function note(
  ledger: Ledger,
  facts: SessionFacts,
  callId: string,
  memory: Memory,
): Promise<void> {
  const text = textOf(facts, callId);
  const owned = factsOf(ledger, ownerOf(facts, scopeOf(callId)));
  const kept = owned.get(text) ?? { isTold: false };
  owned.set(text, kept);
  const { fact } = await memory.save(text, scopeOf(callId));
  kept.isTold = true;
  if (fact.text !== text) ledger.violate('33 a call saves its own fact', `${callId}: ${fact.text}`);
}

/** Searches both memories for the newest fact. */
export async function recall(ledger: Ledger, facts: SessionFacts, memory: Memory): Promise<void> {
  const owners = [ownerOf(facts, 'user'), ownerOf(facts, 'tenant')];
  const told = owners.flatMap((owner) =>
    [...factsOf(ledger, owner)].flatMap(([text, { isTold }]) => (isTold ? [text] : [])),
  );
  const found = await memory.search('', { most: 20 });
  const texts = found.facts.map(({ text }) => text);
  check(ledger, factChecks, { owners, told: found.of <= texts.length ? told : [], texts, ledger });
}

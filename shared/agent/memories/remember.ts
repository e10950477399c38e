/** Saving and searching facts, for every tool that remembers. */

import { hash } from '../plain/hash.ts';
import { credentialIn } from './credentials.ts';
import type {
  FoundFacts,
  Memory,
  MemoryScope,
  MemorySearch,
  RememberedFact,
  Rememberer,
  SavedFact,
} from './memory.ts';
import { searchFacts } from './search.ts';
import type { Fact, Memories, Owner } from './store.ts';

/** Facts of one owner. Calls that save at the same moment may exceed it by their number. */
export const MAX_FACTS = 1_000;
/** Characters of a fact: some sentences. */
export const MAX_FACT_CHARS = 2_000;
/** Facts that a search returns by default, and at most. */
const FOUND = 8;
const MAX_FOUND = 20;
/** Requesters that are recorded with a fact. */
const MAX_BY = 5;

const scopes: readonly MemoryScope[] = ['user', 'tenant'];

/** {@link Memory.save} */
export async function save(
  who: Rememberer,
  said: string,
  scope: MemoryScope,
  { memories, clock }: { readonly memories: Memories; readonly clock: { now(): number } },
  signal: AbortSignal,
): Promise<SavedFact> {
  const owner = ownerOf(who, scope);
  if (!owner) throw new Error(NOBODY);
  const text = readable(said);
  const why = whyNot(text);
  if (why) throw new Error(why);
  const facts = await memories.all(owner);
  const known = facts.find((fact) => sameWords(fact.text, text));
  if (known) return { fact: { ...known, scope }, known: true };
  const id = factId(who, scope, text);
  if (facts.length >= MAX_FACTS) throw new Error(FULL);
  const by = who.requesters.slice(0, MAX_BY).map(({ subject }) => subject);
  signal.throwIfAborted();
  const fact = await memories.save(owner, { id, text, at: clock.now(), sessionId: who.sessionId, by });
  return { fact: { ...fact, scope }, known: false };
}

/** {@link Memory.search} */
export async function search(
  who: Rememberer,
  query: string,
  { scopes: asked = scopes, most = FOUND }: MemorySearch = {},
  memories: Memories,
): Promise<FoundFacts> {
  const owners = asked.flatMap((scope) => {
    const owner = ownerOf(who, scope);
    return owner ? [{ scope, owner }] : [];
  });
  if (owners.length === 0) throw new Error(NOBODY);
  const facts = (await Promise.all(owners.map((one) => factsOf(one, memories)))).flat();
  const matching = matchingFacts(facts, query);
  const shown = Math.min(Math.max(1, Math.trunc(most)), MAX_FOUND);
  return { facts: matching.slice(0, shown), matching: matching.length, of: facts.length };
}

/** Facts that match a query, best first; for an empty query all, newest first. Pure. */
export function matchingFacts<F extends Fact>(facts: readonly F[], query: string): F[] {
  return query.trim() === '' ? [...facts].sort((a, b) => b.at - a.at) : searchFacts(facts, query);
}

async function factsOf(
  { scope, owner }: { readonly scope: MemoryScope; readonly owner: Owner },
  memories: Memories,
): Promise<RememberedFact[]> {
  return (await memories.all(owner)).map((fact) => ({ ...fact, scope }));
}

/** Undefined for the memory of a person if the run does not have exactly one requester. */
function ownerOf({ tenant, user }: Rememberer, scope: MemoryScope): Owner | undefined {
  switch (scope) {
    case 'tenant':
      return { tenant };
    case 'user':
      return user && { tenant, user: user.subject };
    default:
      return scope satisfies never;
  }
}

/** The scope comes first, so that a caller that forgets a fact by its id need not name its owner. */
const factId = ({ idempotencyKey }: Rememberer, scope: MemoryScope, text: string): string =>
  `${scope[0]}${hash(JSON.stringify([idempotencyKey, text]), 24)}`;

/** Without characters that readers do not see and model servers do not accept. */
const readable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .trim();

function whyNot(text: string): string | undefined {
  if (text === '') return 'there is nothing to save: write the fact as a sentence';
  if (text.length > MAX_FACT_CHARS)
    return `a fact has at most ${MAX_FACT_CHARS} characters, and this one ${text.length}: save what matters, or several facts`;
  const credential = credentialIn(text);
  if (!credential) return undefined;
  return `this looks like ${credential}, and memories are no place for secrets: nothing was saved. Save the fact without it, such as where it is kept`;
}

const FULL = `nothing was saved: this memory is full, with ${MAX_FACTS} facts. Ask the user to delete some with DELETE /memories/{memoryId} (GET /memories lists them)`;
const NOBODY =
  'this conversation has no single person whose memory could be used: several people have written, or the sender is not known';

const sameWords = (a: string, b: string): boolean => inOneLine(a) === inOneLine(b);
const inOneLine = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ');

import { readRemembering } from '../../shared/agent/memories/open.ts';
import type { Fact, Owner } from '../../shared/agent/memories/store.ts';
import { groupsOf } from '../../shared/agent/plain/groups.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { ForgetQuery, MemoriesQuery, MemoryId, type memoryScopes } from '../../shared/contract/memories.ts';
import { log } from '../../shared/logger.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import type { Route } from './context.ts';

type Scope = (typeof memoryScopes)[number];

/** Facts that are forgotten in parallel. */
const AT_ONCE = 20;

/** `GET /memories`: what agents remember of the caller, or share in the tenant. */
export const listMemories: Route = async (event, caller, { io }) => {
  const { scope, q, after, limit } = parseOr400(MemoriesQuery, event.queryStringParameters ?? {}, 'query');
  const facts = await io.memories.all(ownerFor(caller, scope));
  const { matchingFacts } = await readRemembering();
  const all = matchingFacts(facts, q);
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const shown = all.slice(from, from + limit);
  const last = from + limit < all.length ? shown.at(-1) : undefined;
  const memories = shown.map((fact) => toAnswer(fact, scope));
  return json(200, { memories, matching: all.length, of: facts.length, ...(last && { next: last.id }) });
};

/** `DELETE /memories/{memoryId}`: forgets one fact for good. */
export const forgetMemory: Route = async (event, caller, { io }) => {
  const id = MemoryId.safeParse(event.pathParameters?.memoryId);
  if (!id.success) throw noSuchMemory();
  const scope = id.data.startsWith('t') ? 'tenant' : 'user';
  const forgotten = await io.memories.forget(ownerFor(caller, scope), id.data);
  if (forgotten === 'unknown') throw noSuchMemory();
  return json(200, { forgotten: 1 });
};

/** `DELETE /memories`: forgets all facts of the caller, of the tenant, or of another user at an administrator's request. */
export const forgetMemories: Route = async (event, caller, { io }) => {
  const { scope, user } = parseOr400(ForgetQuery, event.queryStringParameters ?? {}, 'query');
  const owner = user === undefined ? ownerFor(caller, scope) : otherOwner(caller, scope, user);
  const facts = await io.memories.all(owner);
  for (const some of groupsOf(facts, AT_ONCE))
    await Promise.all(some.map(({ id }) => io.memories.forget(owner, id)));
  log('info', 'a memory was forgotten', {
    tenant: caller.tenant,
    scope,
    by: caller.subject,
    facts: facts.length,
  });
  return json(200, { forgotten: facts.length });
};

/** People see and forget their own facts; the tenant's shared facts belong to its administrators. */
function ownerFor(caller: Identity, scope: Scope): Owner {
  if (scope === 'user') return { tenant: caller.tenant, user: caller.subject };
  requireAdmin(caller);
  return { tenant: caller.tenant };
}

/** Another user's memory: an administrator may have it forgotten, but may not read it. */
function otherOwner(caller: Identity, scope: Scope, user: string): Owner {
  if (user !== caller.subject) requireAdmin(caller);
  if (scope !== 'user')
    throw new Refusal(400, 'Invalid query', { detail: 'A user has a memory of scope "user" only.' });
  return { tenant: caller.tenant, user };
}

const noSuchMemory = (): Refusal =>
  new Refusal(404, 'No such memory', { detail: 'GET /memories lists those that there are.' });

const toAnswer = ({ id, text, at, sessionId, by }: Fact, scope: Scope) => ({
  ...{ id, scope, text, sessionId, by },
  savedAt: new Date(at).toISOString(),
});

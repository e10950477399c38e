import { hashOf } from '../../shared/agent/define/pin.ts';
import { pinInstead } from '../../shared/agent/define/pin-instead.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import type { Instead } from '../../shared/contract/branches.ts';
import { type Identity, maySeeAll } from '../../shared/contract/identity.ts';
import { Refusal } from '../middleware/problem.ts';
import { noSuchSession, type RouteContext } from './context.ts';

/** Stores the definition of a session with another prompt or model, and returns its hash. A prompt may hold what only operators see. */
export async function definitionWith(
  instead: Instead | undefined,
  { key: { tenant }, definition }: Session,
  caller: Identity,
  { io, priceOf }: RouteContext,
): Promise<string | undefined> {
  if (instead === undefined) return undefined;
  if (!maySeeAll(caller))
    throw new Refusal(403, 'Not allowed', {
      detail: 'Only callers who see all sessions of the tenant may try another prompt or model.',
    });
  const pinned = await io.sessions.definition(tenant, definition);
  if (!pinned) throw noSuchSession();
  const listed = instead.model === undefined ? undefined : await priceOf(instead.model);
  const tried = pinInstead(pinned, instead, listed);
  await io.sessions.putDefinition(tenant, hashOf(tried), tried);
  return hashOf(tried);
}

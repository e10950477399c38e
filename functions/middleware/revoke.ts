import { type Decider, whyMayNotDecide } from '../../shared/agent/define/may-decide.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { DecideContext } from './decide.ts';

export type RevokedAs =
  | { readonly kind: 'revoked' | 'over' | 'unknown' }
  /** The caller may not revoke it; `why` says who may. */
  | { readonly kind: 'forbidden'; readonly why: string };

/**
 * Revokes a grant in a person's name, if they gave it, may decide such calls, or requested the run. The requester may revoke what
 * they could not grant, because revoking never permits more.
 */
export async function revokeAs(
  by: Decider,
  key: SessionKey,
  id: string,
  { io, agents }: DecideContext,
): Promise<RevokedAs> {
  const session = (await io.sessions.read(key))?.session;
  if (!session) return { kind: 'unknown' };
  const grant = session.grants?.find((one) => one.id === id);
  if (!grant) return { kind: 'over' };
  const agent = agents.find(({ name }) => name === session.agent);
  const asked = { kind: 'approval', tool: grant.tool } as const;
  const why = whyMayNotDecide(by, asked, { key, agent: session.agent }, agent);
  if (why !== undefined && grant.by !== by.subject) return { kind: 'forbidden', why };
  return { kind: await io.sessions.revoke(key, id) };
}

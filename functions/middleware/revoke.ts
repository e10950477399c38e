import { type Decider, whyMayNotDecide } from '../../shared/agent/define/may-decide.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { DecideContext } from './decide.ts';

export type RevokedAs =
  | { readonly kind: 'revoked' | 'over' | 'unknown' }
  /** Whoever asks may not take it back; `why` says who may decide. */
  | { readonly kind: 'forbidden'; readonly why: string };

/**
 * Takes a grant back, in somebody's name, if they have given it or may decide on such calls. Who has asked for the run may take back
 * what they might not have given: it makes nothing milder.
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

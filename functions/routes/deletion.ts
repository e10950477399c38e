import { deleteTree, type TreeBurial } from '../../shared/agent/entrypoints/delete-tree.ts';
import { GRAVE_MS } from '../../shared/agent/entrypoints/graves.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, type RouteContext, sessionKeyOf } from './context.ts';
import { isSeenBy } from './seen.ts';

/**
 * `DELETE /sessions/{sessionId}`: once this answers, the session and those that it has begun cannot be found. The sweeper deletes
 * their stored data within minutes, and once more when no writer is left that could have stored something late.
 */
export const deleteSession: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const now = context.io.clock.now();
  const { sessions, queue } = context.io;
  const burial = await deleteTree(key, now, { sessions, queue, graves: context.graves });
  if (burial.kind !== 'buried') throw await refusalOf(burial, key, caller, context);
  return json(202, {
    sessionId: key.sessionId,
    deletedAt: new Date(now).toISOString(),
    goneBy: new Date(now + GRAVE_MS).toISOString(),
  });
};

async function refusalOf(
  burial: Exclude<TreeBurial, { kind: 'buried' }>,
  key: SessionKey,
  caller: Identity,
  context: RouteContext,
): Promise<Refusal> {
  switch (burial.kind) {
    case 'unknown':
      return noSuchSession();
    case 'busy': {
      const detail =
        'Its run is going or waiting. Stop it with POST /sessions/{sessionId}/cancel, and delete the session when the run has ended.';
      return new Refusal(409, 'Session not at rest', { detail });
    }
    case 'working': {
      const detail = `The session ${burial.child}, which works for it, is still going. It was stopped: delete the session again in a moment.`;
      return new Refusal(409, 'Session not at rest', { detail });
    }
    case 'forked': {
      const seen = await seenOf(burial.forks, key, caller, context);
      const named = seen.length > 0 ? ` (${seen.join(', ')})` : '';
      const detail = `Sessions that were forked from it need its stored data${named}. Delete them first.`;
      return new Refusal(409, 'Session has forks', { detail });
    }
    default:
      return burial satisfies never;
  }
}

/** The forks that the caller may see. */
async function seenOf(
  forks: readonly string[],
  { tenant }: SessionKey,
  caller: Identity,
  { io }: RouteContext,
): Promise<string[]> {
  const views = await Promise.all(forks.map((sessionId) => io.sessions.read({ tenant, sessionId })));
  return views.flatMap((view) =>
    view && isSeenBy(caller, view.session) ? [view.session.key.sessionId] : [],
  );
}

import { defined } from '../../shared/agent/plain/defined.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import { RenameBody, SessionsQuery } from '../../shared/contract/listing-queries.ts';
import type { Listed } from '../../shared/edge/listed.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

const MAX_RENAME_BYTES = 16 * 1024;

/** `GET /sessions`: all sessions of the tenant for callers who may see them; for others, their own. */
export const listSessions: Route = async (event, caller, { listed }) => {
  const query = parseOr400(SessionsQuery, event.queryStringParameters ?? {}, 'query');
  const { state, reason, agent, source, q, since, until, cursor, limit } = query;
  if (!maySeeAll(caller) && query.user !== undefined && query.user !== caller.subject)
    throw new Refusal(403, 'Not allowed', { detail: 'You may see only your own sessions.' });
  const { sessions, next } = await listed.page(caller.tenant, {
    ...defined({ states: state }),
    ...{ reason, agent, source, words: q, after: cursor, limit },
    user: maySeeAll(caller) ? query.user : caller.subject,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
  });
  return json(200, { sessions: sessions.map(toRow), ...(next && { next }) });
};

/** `PATCH /sessions/{sessionId}`: changes the title that lists show. */
export const renameSession: Route = async (event, caller, { listed }) => {
  const key = sessionKeyOf(event, caller);
  const { title, metadata } = jsonBody(event, RenameBody, MAX_RENAME_BYTES);
  const before = await listed.read(key);
  if (!before) throw noSuchSession();
  const to = { ...defined({ title, metadata }) };
  if ((await listed.rename(key, to)) === 'unknown') throw noSuchSession();
  return json(200, toRow({ ...before, ...to }));
};

/** A session as a row of a list. */
export const toRow = ({ at, createdAt, ...listed }: Listed): SessionRow => ({
  ...listed,
  createdAt: new Date(createdAt).toISOString(),
  movedAt: new Date(at).toISOString(),
});

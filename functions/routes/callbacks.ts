import { callbackStatus, callbackUrlOf } from '../../shared/agent/outbound/callback.ts';
import { atOnce, type Destination } from '../../shared/agent/outbound/destination.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { requireAdmin } from '../middleware/authorize.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, type RouteContext, sessionKeyOf } from './context.ts';

/**
 * `GET /callbacks/secrets`: the secrets with which the tenant verifies callbacks, more than one during a rotation. A holder of
 * one can forge a callback, so only the tenant's administrators may read them.
 */
export const readCallbackSecrets: Route = async (_event, caller, { callbacks }) => {
  requireAdmin(caller);
  const secrets = await callbacks.secretsOf(caller.tenant);
  return json(200, { secrets }, { 'cache-control': 'no-store' });
};

/** `POST /sessions/{sessionId}/callback/try`: tries the callback at once, and after that at its usual times. */
export const tryCallback: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  if (!(await io.sessions.read(key))) throw noSuchSession();
  const found = await find(key, io);
  if (!found || (await io.outbound.hurry(key, found.name)) === 'unknown')
    throw new Refusal(404, 'No callback', { detail: 'This session was created without a callbackUrl.' });
  await io.queue.deliver({ ...key, kind: 'callback' });
  return json(202, callbackStatus({ ...found, ...atOnce }));
};

/** Accepts a callback URL that may be called, as far as the URL shows it. Refuses others with 400. */
export function checkedCallback(text: string, { callbacks }: RouteContext): string {
  const parsed = callbacks.check(text);
  if ('url' in parsed) return parsed.url.href;
  throw new Refusal(400, 'Invalid body', {
    detail: 'Correct the listed fields and send it again.',
    errors: [{ path: 'callbackUrl', message: parsed.refused }],
  });
}

/** Whether an existing session was made with this callback, or with none. A session that has lost its callback may get it back. */
export async function hasCallback(
  key: SessionKey,
  url: string | undefined,
  { io }: Pick<RouteContext, 'io'>,
): Promise<boolean> {
  const view = await io.sessions.read(key);
  const kept = await find(key, io);
  if (url === undefined) return !kept;
  return (view?.session.outbound ?? false) && (!kept || callbackUrlOf(kept) === url);
}

/** The status of a session's callback, if it has one. */
export async function readCallback({ session }: SessionView, io: RouteContext['io']) {
  const callback = session.outbound ? await find(session.key, io) : undefined;
  return callback && callbackStatus(callback);
}

const find = async (key: SessionKey, io: RouteContext['io']): Promise<Destination | undefined> =>
  (await io.outbound.list(key)).find(({ kind }) => kind === 'callback');

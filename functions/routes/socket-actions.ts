import type { DecisionRule } from '../../shared/agent/define/may-decide.ts';
import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../shared/agent/events/catch-up.ts';
import { packFrames } from '../../shared/agent/events/pack-frames.ts';
import { parseExactly } from '../../shared/agent/plain/digits.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { MAX_SUBSCRIBERS } from '../../shared/agent/ports/sessions.ts';
import { MAX_SOCKET_BYTES, type SocketNotice, SocketRequest } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { ApiKeys } from '../../shared/edge/api-keys.ts';
import type { Connections } from '../../shared/edge/connections.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { inTime } from '../middleware/in-time.ts';
import { parseOr400, Refusal, toRefusal } from '../middleware/problem.ts';
import { noSuchSession } from './context.ts';
import { settleDecision } from './decisions.ts';
import { requireSeen } from './seen.ts';

export interface SocketContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'log' | 'queue' | 'sockets'>;
  readonly connections: Connections;
  readonly keys: Pick<ApiKeys, 'isLive'>;
  readonly agents: readonly DecisionRule[];
  readonly isOutage: IsOutage;
}

/** Frames that are read from the log at once while a client catches up. */
const PAGE = 500;

/** A frame from a client. */
export interface SocketFrame {
  readonly connectionId: string;
  readonly requestId: string;
  readonly body: string;
  /** Time in ms until the client must have its answer. */
  readonly msLeft: number;
}

/**
 * Carries out what a client asks over its connection. The client gets errors as notices.
 *
 * @returns the status for the gateway: 5xx if it was not the client's fault
 */
export async function answerSocket(frame: SocketFrame, context: SocketContext): Promise<number> {
  const { connectionId, requestId, body, msLeft } = frame;
  const tell = (notice: SocketNotice) => context.io.sockets.post(connectionId, JSON.stringify(notice));
  let request: SocketRequest | undefined;
  try {
    request = parseRequest(body);
    const notice = await inTime(act(request, connectionId, context), msLeft);
    if (notice) await tell(notice);
    return 200;
  } catch (error) {
    const facts = { action: request?.action, connectionId, apiRequestId: requestId };
    const { problem } = toRefusal(error, requestId, facts, context.isOutage);
    const sessionId = request && 'sessionId' in request ? request.sessionId : undefined;
    await tell({ type: 'error', sessionId, problem });
    return problem.status < 500 ? 200 : problem.status;
  }
}

/** Carries out the action, and returns the client's answer. */
async function act(
  request: SocketRequest,
  connectionId: string,
  context: SocketContext,
): Promise<SocketNotice | undefined> {
  const { io } = context;
  const caller = await callerOf(connectionId, context);
  if (request.action === 'ping') return { type: 'pong' };
  const { sessionId } = request;
  const key = { tenant: caller.tenant, sessionId };
  // The agent says who decides, and it does not matter who owns the session.
  if (request.action !== 'decide') await requireSeen(key, caller, io);
  switch (request.action) {
    case 'subscribe':
      return (await subscribe(connectionId, key, request.after, context))
        ? { type: 'subscribed', sessionId }
        : undefined;
    case 'unsubscribe':
      if (!(await io.sessions.watch(key))) throw noSuchSession();
      await io.sessions.unsubscribe(key, connectionId);
      return undefined;
    case 'cancel': {
      const result = await cancel(key, io);
      if (result === 'unknown') throw noSuchSession();
      return { type: 'cancelled', sessionId, cancelled: result === 'cancelled' };
    }
    case 'decide': {
      const result = await settleDecision(key, request, caller, context);
      return { type: 'decided', sessionId, id: request.id, result };
    }
    default:
      return request satisfies never;
  }
}

/**
 * The identity behind a connection. After a key is revoked or a JWT has expired, the connection does nothing more and receives
 * nothing more: its client reconnects with a new ticket.
 */
async function callerOf(connectionId: string, context: SocketContext): Promise<Identity> {
  const { connections, keys, io } = context;
  const caller = await connections.callerOf(connectionId);
  if (!caller) throw notConnected('Not connected', 'Connect again with a new ticket.');
  if (caller.expiresAt !== undefined && caller.expiresAt <= io.clock.now()) {
    await forget(connectionId, context);
    const detail =
      'The JWT that opened this connection has expired. Connect again with a ticket of a new one.';
    throw notConnected('Credential expired', detail);
  }
  if (caller.kind !== 'key' || (await keys.isLive(caller.subject.slice('key:'.length)))) return caller;
  await forget(connectionId, context);
  throw notConnected('Not connected', 'The API key that opened this connection was revoked.');
}

const notConnected = (title: string, detail: string) => new Refusal(401, title, { detail });

/** Removes the connection from all sessions that it follows. */
export async function forget(
  connectionId: string,
  { connections, io }: Pick<SocketContext, 'connections' | 'io'>,
): Promise<void> {
  const subscribed = await connections.close(connectionId);
  await Promise.all(subscribed.map((key) => io.sessions.unsubscribe(key, connectionId)));
}

/**
 * Subscribes first and catches up afterwards: events in between come twice, and the client drops duplicates by seq. Returns
 * whether the client has received everything. A client that has left in the meantime is unsubscribed again.
 */
async function subscribe(
  connectionId: string,
  key: SessionKey,
  cursor: number,
  { io, connections }: SocketContext,
): Promise<boolean> {
  await takeSeat(connectionId, key, { io, connections });
  if ((await connections.remember(connectionId, key)) === 'closed') {
    // `$disconnect` came before the subscription existed.
    await io.sessions.unsubscribe(key, connectionId);
    return false;
  }
  for (let after = cursor; ; ) {
    const frames = (await catchUp(key, after, PAGE, io)) ?? [];
    for (const data of packFrames(key.sessionId, frames)) {
      if ((await io.sockets.post(connectionId, data)) !== 'sent') return false;
    }
    if (frames.length < PAGE) return true;
    after = frames.at(-1)?.seq ?? after;
  }
}

/**
 * Adds a subscriber to the session. If the session has as many as it may, subscribers that have left are removed first: API
 * Gateway does not guarantee a `$disconnect`, and a session at rest does not notice them by pushing.
 */
async function takeSeat(
  connectionId: string,
  key: SessionKey,
  { io, connections }: Pick<SocketContext, 'io' | 'connections'>,
): Promise<void> {
  const first = await io.sessions.subscribe(key, connectionId);
  if (first.kind === 'subscribed') return;
  if (first.kind === 'unknown') throw noSuchSession();
  const gone = await connections.gone(first.subscribers);
  for (const id of gone) await io.sessions.unsubscribe(key, id);
  if (gone.length > 0 && (await io.sessions.subscribe(key, connectionId)).kind === 'subscribed') return;
  throw new Refusal(429, 'Too many subscribers', {
    detail: `This session has reached its limit of ${MAX_SUBSCRIBERS} subscribed connections. Read GET /sessions/{id}/events, or try again later.`,
  });
}

function parseRequest(body: string): SocketRequest {
  if (Buffer.byteLength(body) > MAX_SOCKET_BYTES) {
    throw new Refusal(413, 'Message too large', {
      detail: `A frame may have at most ${MAX_SOCKET_BYTES} bytes; send longer texts to POST /sessions/{id}/messages.`,
    });
  }
  let value: unknown;
  try {
    value = parseExactly(body);
  } catch {
    throw new Refusal(400, 'Malformed JSON', { detail: 'Send a JSON object with an action.' });
  }
  return parseOr400(SocketRequest, value, 'request');
}

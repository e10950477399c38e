import { withStored } from '../../shared/agent/config/resolve.ts';
import { cancel } from '../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../shared/agent/events/catch-up.ts';
import { slotsOf } from '../../shared/agent/lineage/slots.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { holding } from '../../shared/agent/policy/grants.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import { firstAgent } from '../../shared/agent/session/handoffs.ts';
import type { BackgroundChild } from '../../shared/agent/session/parent.ts';
import { omittedIn } from '../../shared/agent/session/pinned.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import { tasksIn } from '../../shared/agent/session/tasks.ts';
import type { Ask, Wait } from '../../shared/agent/session/waits.ts';
import { guardStats } from '../../shared/agent/step/end/stats.ts';
import {
  type BackgroundInfo,
  type EndingInfo,
  EventsQuery,
  type GrantInfo,
  MessagesQuery,
  type WaitInfo,
  writeCursor,
} from '../../shared/contract/http.ts';
import { parseOr400 } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { readCallback } from './callbacks.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';
import { fitting, PAGE_BYTES, pageOf } from './page.ts';

/** `GET /sessions/{sessionId}`: the session's state, its totals and its guards' counters. */
export const readSession: Route = async (event, caller, { io, listed }) => {
  const view = await io.sessions.read(sessionKeyOf(event, caller));
  if (!view) throw noSuchSession();
  const callback = await readCallback(view, io);
  const {
    key,
    agent,
    definition,
    version,
    state,
    reason,
    run,
    totals,
    metadata,
    eventSeq,
    parent,
    background,
  } = view.session;
  const lastEnding = endingOf(view);
  const [pinned, named] = await Promise.all([
    io.sessions.definition(key.tenant, definition),
    listed.read(key),
  ]);
  const going = view.dueAt !== undefined;
  const tasks = tasksIn(view.session);
  const omitted = pinned ? omittedIn(pinned) : [];
  return json(200, {
    sessionId: key.sessionId,
    agent,
    ...(named?.title && { title: named.title }),
    definition,
    state: going ? 'running' : state,
    ...(!going && { reason }),
    ...defined({ lastEnding }),
    run,
    totals,
    guardrails: metadata.guardrails,
    ...(pinned && { stats: guardStats(view.session, withStored(pinned)) }),
    ...(tasks.length > 0 && { tasks }),
    ...(omitted.length > 0 && { omittedTools: omitted }),
    ...defined({ forkOf: view.session.forkOf }),
    ...(view.session.handoffs && { begunWith: firstAgent(view.session) }),
    ...(background && { background: background.map(backgroundInfo) }),
    ...(parent && { parent: { sessionId: parent.sessionId, toolCallId: parent.callId } }),
    slots: version,
    attempts: view.attempts,
    waiting: view.fence.inbox.length,
    cursor: eventSeq,
    waits: waitsOf(view),
    grants: grantsOf(view.session, io.clock.now()),
    ...defined({ callback }),
  });
};

/** A session that works in the background, as clients see it. */
const backgroundInfo = ({ sessionId, name, callId, until }: BackgroundChild): BackgroundInfo => ({
  ...{ child: sessionId, tool: name, toolCallId: callId },
  expiresAt: new Date(until).toISOString(),
});

/** How the last finished run ended. Its answer is only in the frames of its last commit. */
function endingOf({ session: { lastEnding }, tail }: SessionView): EndingInfo | undefined {
  if (!lastEnding) return undefined;
  const [object] = tail.flatMap(({ event }) =>
    event.type === 'CUSTOM' && event.name === 'steploop.ended' ? [event.value.object] : [],
  );
  const at = new Date(lastEnding.at).toISOString();
  return { ...lastEnding, at, ...defined({ object }) };
}

/** The grants for future calls that are still valid. */
const grantsOf = ({ grants = [], run }: Session, now: number): GrantInfo[] =>
  holding(grants, run?.ended ? '' : (run?.id ?? ''), now).map(
    ({ id, tool, level, digest, run: of, usesLeft, until, by, at }) => ({
      ...{ id, tool, level, by, at: new Date(at).toISOString() },
      scope: of === undefined ? 'session' : 'run',
      alike: digest === undefined ? 'tool' : 'call',
      ...defined({ usesLeft }),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    }),
  );

/** The waits that are not settled yet, and what sessions below this one ask. */
const waitsOf = ({ session: { batch }, fence }: SessionView): WaitInfo[] =>
  [...(batch?.waits ?? []).filter(({ id }) => fence.pending.includes(id)), ...(batch?.asks ?? [])].map(
    waitInfo,
  );

/** A wait as clients see it. */
export const waitInfo = ({
  id,
  kind,
  tool,
  callId,
  message,
  expiresAt,
  changes,
  child,
}: Wait | Ask): WaitInfo => ({
  ...{ id, kind, tool, toolCallId: callId, message },
  ...(changes && { changes: [...changes] }),
  ...(child && { child }),
  expiresAt: new Date(expiresAt).toISOString(),
});

/** `GET /sessions/{sessionId}/messages`: the committed conversation, as people see it. */
export const readMessages: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const { from, limit } = parseOr400(MessagesQuery, event.queryStringParameters ?? {}, 'query');
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const { version } = view.session;
  const below = Math.min(from.slot + limit, version);
  const stored = await slotsOf(view.session, from.slot, io.sessions, { below, bytes: PAGE_BYTES });
  const { messages, next } = pageOf(
    stored.map(({ slot }) => slot),
    from,
    version,
  );
  return json(200, { messages, ...(next && { next: writeCursor(next) }) });
};

/** `GET /sessions/{sessionId}/events`: the frames after a cursor. Call again with `next` until none come. */
export const readEvents: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const { after, limit } = parseOr400(EventsQuery, event.queryStringParameters ?? {}, 'query');
  const found = await catchUp(key, after, limit, io);
  if (!found) throw noSuchSession();
  const frames = found.slice(0, fitting(found));
  return json(200, { frames, next: frames.at(-1)?.seq ?? after });
};

/** `POST /sessions/{sessionId}/cancel`: stops the current run. The answer says so if there is none. */
export const cancelRun: Route = async (event, caller, { io }) => {
  const result = await cancel(sessionKeyOf(event, caller), io);
  if (result === 'unknown') throw noSuchSession();
  return json(202, { cancelled: result === 'cancelled' });
};

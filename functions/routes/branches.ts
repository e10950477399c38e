/** Routes that branch off at some point of a session: a fork, or an edited message. */

import { accept } from '../../shared/agent/entrypoints/accept.ts';
import { findSaid, saidAgain, saidBeside } from '../../shared/agent/entrypoints/edit.ts';
import { endOfStep, makeFork } from '../../shared/agent/entrypoints/fork.ts';
import { canonicalJson, hash } from '../../shared/agent/plain/hash.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import { EditBody, ForkBody } from '../../shared/contract/branches.ts';
import { MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { admitted } from '../middleware/admit.ts';
import { Refusal } from '../middleware/problem.ts';
import { json, jsonBody, rawBody } from '../middleware/request.ts';
import { answerTo, idempotencyKeyOf, reusedKey, saidIn } from './arrivals.ts';
import { justDeleted, noSuchSession, type Route, type RouteContext, sessionKeyOf } from './context.ts';
import { definitionWith } from './instead.ts';
import { userOf } from './seen.ts';
import { toRow } from './sessions.ts';

/** `POST /sessions/{sessionId}/fork`: a new session that shares everything up to a step. */
export const forkSession: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const empty = rawBody(event, MAX_BODY_BYTES).trim() === '';
  const { slot, message, title, instead } = empty ? {} : jsonBody(event, ForkBody, MAX_BODY_BYTES);
  const session = await sessionOf(key, context);
  const below = await endOfStep(session, slot, context.io.sessions);
  if (below === undefined)
    throw new Refusal(404, 'No such step', {
      detail:
        'GET /sessions/{sessionId}/steps lists steps with their slots. One whose calls still run or wait cannot be forked from.',
    });
  const forkId = await idOfFork(event, key, caller, context);
  const definition = await definitionWith(instead, session, caller, context);
  return admitted({ ...key, sessionId: forkId }, context.limits, async (place) => {
    const asked = canonicalJson({ message, title, instead });
    const fork = await forked({ session, below, forkId, caller, title, asked, definition }, context);
    if (message === undefined) await place.giveBack();
    else {
      const agent = context.agents.find(({ name }) => name === session.agent);
      const eventId = `fork-${hash(forkId)}`;
      const said = await saidIn(message, { key: fork.key, eventId, caller, agent }, context);
      const accepted = await accept(fork.key, said.arrival, context.io);
      if (accepted !== 'accepted') await place.giveBack();
      if (accepted !== 'accepted' && accepted !== 'duplicate') return answerTo(accepted, {}, 201);
    }
    return json(201, { sessionId: forkId, forkOf: fork.forkOf });
  });
};

/** `POST /sessions/{sessionId}/edit`: sends a message again, in a fork that ends before it. The session itself is unchanged. */
export const editMessage: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const { messageId, message, instead } = jsonBody(event, EditBody, MAX_BODY_BYTES);
  const session = await sessionOf(key, context);
  const said = await findSaid(session, messageId, context.io.sessions);
  if (!said)
    throw new Refusal(404, 'No such message', {
      detail:
        'Name a message of a person by its id in GET /sessions/{sessionId}/messages, once a step has read it.',
    });
  const forkId = await idOfFork(event, key, caller, context);
  const definition = await definitionWith(instead, session, caller, context);
  return admitted({ ...key, sessionId: forkId }, context.limits, async (place) => {
    const asked = canonicalJson({ messageId, message, instead });
    const withSent = said.together.some(({ attachments = [] }) => attachments.length > 0);
    const below = said.slot;
    const fork = await forked({ session, below, forkId, caller, withSent, asked, definition }, context);
    const idOf = (n: number) => `edit-${hash(`${forkId} ${n}`)}`;
    const agent = context.agents.find(({ name }) => name === session.agent);
    const by = { key: fork.key, eventId: idOf(said.index), caller, agent };
    const { arrival } = await saidIn(message, by, context);
    const carries = saidBeside(session, said);
    const facts = { by: caller.subject, caller: callerFacts(caller, 'http'), carries };
    const at = context.io.clock.now();
    let begun = false;
    for (const [n, again] of saidAgain(said, arrival, idOf).entries()) {
      const accepted = await accept(fork.key, { ...again, ...facts, at: at + n }, context.io);
      if (accepted === 'accepted') begun = true;
      else if (accepted !== 'duplicate') return answerTo(accepted, {}, 201);
    }
    if (!begun) await place.giveBack();
    return json(201, { sessionId: forkId, forkOf: fork.forkOf });
  });
};

/** `GET /sessions/{sessionId}/forks`: the forks of a session that the caller may see. */
export const listForks: Route = async (event, caller, { io, listed }) => {
  const key = sessionKeyOf(event, caller);
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const rows = await Promise.all(
    view.forks.map((sessionId) => listed.read({ tenant: key.tenant, sessionId })),
  );
  const seen = rows.flatMap((row) =>
    row && (maySeeAll(caller) || row.user === caller.subject) ? [row] : [],
  );
  return json(200, { sessions: seen.sort((a, b) => a.createdAt - b.createdAt).map(toRow) });
};

interface ForkOfCaller {
  readonly session: Session;
  readonly below: number;
  readonly forkId: string;
  readonly caller: Identity;
  readonly asked: string;
  readonly title?: string | undefined;
  readonly withSent?: boolean;
  readonly definition?: string | undefined;
}

/** The fork, owned by the caller: signed-in people have their own sessions. */
async function forked(
  { session, below, forkId, caller, asked, title, definition, withSent = false }: ForkOfCaller,
  { io, listed }: RouteContext,
): Promise<Session> {
  const named = title ?? (await listed.read(session.key))?.title ?? '';
  const user = userOf(caller) ?? session.user;
  const wanted = { forkId, asked, title: named, by: caller.subject, user, withSent, definition };
  const fork = await makeFork(session, below, wanted, io);
  switch (fork) {
    case 'conflict':
      throw reusedKey();
    case 'deleted':
      throw justDeleted();
    case 'gone':
      throw noSuchSession();
    case 'full':
      throw new Refusal(409, 'Too many forks', {
        detail: 'This session has as many forks as it may have. Delete one of them, or fork a fork.',
      });
    default:
      return fork;
  }
}

async function sessionOf(key: SessionKey, { io }: RouteContext): Promise<Session> {
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  return view.session;
}

/** The same Idempotency-Key of the same caller leads to the same fork. */
async function idOfFork(
  event: Parameters<Route>[0],
  { tenant, sessionId }: SessionKey,
  { subject }: Identity,
  { io }: RouteContext,
): Promise<string> {
  const key = idempotencyKeyOf(event);
  return key === undefined
    ? `s${io.ids.next()}`
    : sessionIdFor('fork', `${tenant}:${sessionId}:${subject}:${key}`);
}

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Agent } from '../../shared/agent/define/agent.ts';
import {
  type Accepted,
  type Arrival,
  accept,
  askOf,
  openSession,
} from '../../shared/agent/entrypoints/accept.ts';
import { callbackDestination } from '../../shared/agent/outbound/callback.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { zoneNamed } from '../../shared/agent/plain/zones.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import { IdempotencyKey, MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import { type MessageContent, textOfMessage, uploadsOf } from '../../shared/contract/message.ts';
import { AddMessageBody, CreateSessionBody, type PageBody } from '../../shared/contract/page-input.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { roomOf } from '../attachments/limits.ts';
import { type Admitted, admitted } from '../middleware/admit.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { checkedCallback, hasCallback } from './callbacks.ts';
import { justDeleted, noSuchSession, type Route, type RouteContext, sessionKeyOf } from './context.ts';
import { isSeenBy, userOf } from './seen.ts';

/** `POST /sessions`: a new session with its first message. The same Idempotency-Key leads to the same session. */
export const createSession: Route = async (event, caller, context) => {
  const { tenant } = caller;
  const {
    agent: name,
    message,
    callbackUrl,
    mode,
    zone,
    title,
    metadata,
    page,
  } = jsonBody(event, CreateSessionBody, MAX_BODY_BYTES);
  const agent = agentNamed(name, context);
  const idempotencyKey = idempotencyKeyOf(event);
  const sessionId = idempotencyKey
    ? await sessionIdFor('http', `${tenant}:${idempotencyKey}`)
    : `s${context.io.ids.next()}`;
  const key = { tenant, sessionId };
  const callback = callbackUrl === undefined ? undefined : checkedCallback(callbackUrl, context);
  const outbound = callback !== undefined;
  return admitted(key, context.limits, async (place) => {
    const said = await saidIn(
      message,
      { key, eventId: eventIdOf(event, context.io), caller, agent, zone: checkedZone(zone) },
      context,
    );
    const opened = await openSession(key, agent, context.priceOf, context.io, {
      outbound,
      mode,
      user: userOf(caller),
      first: {
        at: context.io.clock.now(),
        by: caller.subject,
        caller: callerFacts(caller, 'http', zone),
        metadata,
      },
    });
    if (opened === 'gone') {
      await said.giveBack();
      throw justDeleted();
    }
    if (opened === 'other_agent') throw reusedKey();
    if (opened === 'exists' && !(await isTheirs(key, caller, context))) {
      await said.giveBack();
      throw reusedKey();
    }
    if (opened === 'exists' && !(await hasCallback(key, callback, context))) throw reusedKey();
    if (callback) await context.io.outbound.put(key, callbackDestination(callback));
    const called = { title, ...defined({ metadata }) };
    const arrival = {
      ...{ ...said.arrival, called, wishes: { mode, ...called } },
      ...(await pageIn(page)),
    };
    return deliver(key, { ...said, arrival }, place, context, 201);
  });
};

/** The agent with this name. Refuses with 404 if there is none. */
export function agentNamed(name: string, { agents }: Pick<RouteContext, 'agents'>): Agent {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent) return agent;
  const known = agents.map((candidate) => candidate.name).join(', ');
  throw new Refusal(404, 'No such agent', { detail: `There is no agent ${name}. There are: ${known}.` });
}

/** Whether the caller may see the session that a key leads to: another user of the tenant may have used the same key. */
async function isTheirs(key: SessionKey, caller: Identity, { io }: RouteContext): Promise<boolean> {
  const view = await io.sessions.read(key);
  return view !== undefined && isSeenBy(caller, view.session);
}

/** `POST /sessions/{sessionId}/messages`: begins a run, or joins the current one at its next step. */
export const addMessage: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const { message, mode, zone, page } = jsonBody(event, AddMessageBody, MAX_BODY_BYTES);
  const eventId = eventIdOf(event, context.io);
  return admitted(key, context.limits, async (place) => {
    const by = { key, eventId, caller, zone: checkedZone(zone) };
    const said = await saidIn(message, { ...by, agent: await agentFor(message, key, context) }, context);
    const arrival = { ...said.arrival, ...defined({ mode }), ...(await pageIn(page)) };
    return deliver(key, { ...said, arrival }, place, context, 202);
  });
};

/** `POST /sessions/{sessionId}/wrap-up`: the current run sums up and ends. The answer says so if there is none. */
export const wrapUpRun: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const eventId = eventIdOf(event, io);
  const asker = { by: caller.subject, caller: callerFacts(caller, 'http') };
  const asked = await askOf(key, 'wrap_up', eventId, io, asker);
  if (asked === 'idle') return json(202, { asked: false });
  return answerTo(asked, { sessionId: key.sessionId, asked: true }, 202);
};

/** The content of a message, and how its uploads are released if it is not accepted. */
interface ArrivedContent {
  readonly arrival: Arrival;
  giveBack(): Promise<void>;
}

/** The sender of a message, and its session. */
interface SaidBy {
  readonly key: SessionKey;
  readonly eventId: string;
  readonly caller: Identity;
  readonly agent: Agent | undefined;
  /** Time zone from the request. */
  readonly zone?: string | undefined;
}

/** The offer of a message's page. Few messages have one, so no cold start loads the code that reads it. */
async function pageIn(page: PageBody | undefined): Promise<Pick<Arrival, 'page'>> {
  if (!page) return {};
  const { offerOf } = await import('../../shared/contract/page.ts');
  return defined({ page: offerOf(page) });
}

/** The time zone of a message. Refuses an unknown name with 400. */
function checkedZone(zone: string | undefined): string | undefined {
  if (zone === undefined || zoneNamed(zone)) return zone;
  throw new Refusal(400, 'Unknown time zone', {
    detail: 'Send zone as an IANA name, such as "Pacific/Auckland", or leave it out.',
  });
}

/** The message as the session takes it in. By then its uploads are content of the session. */
export async function saidIn(
  message: MessageContent,
  { key, eventId, caller, agent, zone }: SaidBy,
  context: RouteContext,
): Promise<ArrivedContent> {
  const { subject } = caller;
  const text = textOfMessage(message);
  const arrival = { eventId, text, by: subject, caller: callerFacts(caller, 'http', zone) };
  const uploads = uploadsOf(message);
  if (uploads.length === 0) return { arrival, giveBack: async () => undefined };
  const { takeOver } = await import('../attachments/take.ts');
  const limits = roomOf(agent);
  const { attachments, giveBack } = await takeOver(uploads, { key, eventId, subject, limits }, context);
  return { arrival: { ...arrival, attachments }, giveBack };
}

/** The agent of the session that uploads are for. Refuses if the session does not exist, since nothing is kept for it. */
async function agentFor(
  message: MessageContent,
  key: SessionKey,
  { io, agents }: RouteContext,
): Promise<Agent | undefined> {
  if (uploadsOf(message).length === 0) return undefined;
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  return agents.find(({ name }) => name === view.session.agent);
}

async function deliver(
  key: SessionKey,
  { arrival, giveBack }: ArrivedContent,
  place: Admitted,
  { io }: RouteContext,
  status: number,
) {
  const accepted = await accept(key, arrival, io);
  if (accepted === 'duplicate') await place.giveBack();
  if (accepted === 'full' || accepted === 'unknown_session') await giveBack();
  const { sessionId } = key;
  const { eventId } = arrival;
  return answerTo(accepted, { sessionId, eventId, duplicate: accepted === 'duplicate' }, status);
}

/** The answer to an arrival. Refuses if it was not accepted. */
export function answerTo(accepted: Accepted, body: object, status: number) {
  requireTaken(accepted);
  return json(status, body);
}

/** Turns a rejection by the session into a Refusal. */
export function requireTaken(accepted: Accepted): 'accepted' | 'duplicate' {
  switch (accepted) {
    case 'accepted':
    case 'duplicate':
      return accepted;
    case 'conflict':
      throw reusedKey();
    case 'full':
      throw new Refusal(
        429,
        'Inbox full',
        { detail: 'Too many messages are waiting in this session. Try again when its run has read some.' },
        { 'retry-after': '10' },
      );
    case 'unknown_session':
      throw noSuchSession();
    default:
      return accepted satisfies never;
  }
}

/** The id of this request's event; a retry has the same one. */
export function eventIdOf(event: APIGatewayProxyEventV2, io: RouteContext['io']): string {
  const idempotencyKey = idempotencyKeyOf(event);
  return idempotencyKey ? eventIdOfKey(idempotencyKey) : `http-${io.ids.next()}`;
}

/** The id of the event that requests with this idempotency key deliver. */
export const eventIdOfKey = (key: string): string => `key-${hash(key)}`;

/** The request's idempotency key, if it has one. */
export function idempotencyKeyOf(event: APIGatewayProxyEventV2): string | undefined {
  const sent = event.headers['idempotency-key'];
  return sent === undefined ? undefined : parseOr400(IdempotencyKey, sent, 'Idempotency-Key header');
}

/** Refuses an idempotency key that came before with a different request. */
export const reusedKey = () =>
  new Refusal(422, 'Idempotency-Key reused', {
    detail: 'This key was sent before with a different body. Use a new key for a new request.',
  });

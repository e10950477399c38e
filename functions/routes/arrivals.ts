import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Accepted, accept, askOf, openSession } from '../../shared/agent/doors/accept.ts';
import { callbackDestination } from '../../shared/agent/outbound/callback.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import { callerFacts } from '../../shared/agent/session/caller.ts';
import { AddMessage, CreateSession, IdempotencyKey, MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type Admitted, admitted } from '../middleware/admit.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { checkedCallback, hasCallback } from './callbacks.ts';
import { noSuchSession, type Route, type RouteContext, sessionKeyOf } from './context.ts';

/** `POST /sessions`: a new session with its first message. The same Idempotency-Key leads to the same session. */
export const createSession: Route = async (event, caller, context) => {
  const { tenant } = caller;
  const { agent: name, message, callbackUrl } = jsonBody(event, CreateSession, MAX_BODY_BYTES);
  const agent = context.agents.find((candidate) => candidate.name === name);
  if (!agent) {
    const known = context.agents.map((candidate) => candidate.name).join(', ');
    throw new Refusal(404, 'No such agent', { detail: `There is no agent ${name}. There are: ${known}.` });
  }
  const idempotencyKey = idempotencyKeyOf(event);
  const sessionId = idempotencyKey
    ? await sessionIdFor('http', `${tenant}:${idempotencyKey}`)
    : `s${context.io.ids.next()}`;
  const key = { tenant, sessionId };
  const callback = callbackUrl === undefined ? undefined : checkedCallback(callbackUrl, context);
  const outbound = callback !== undefined;
  return admitted(key, context.limits, async (place) => {
    const opened = await openSession(key, agent, context.priceOf, context.io, { outbound });
    if (opened === 'other_agent') throw reusedKey();
    if (opened === 'exists' && !(await hasCallback(key, callback, context))) throw reusedKey();
    if (callback) await context.io.outbound.put(key, callbackDestination(callback));
    return deliver(key, { text: message, ...saidBy(caller) }, event, place, context, 201);
  });
};

/** `POST /sessions/{sessionId}/messages`: begins a run, or joins the one that is going at its next step. */
export const addMessage: Route = async (event, caller, context) => {
  const key = sessionKeyOf(event, caller);
  const { message } = jsonBody(event, AddMessage, MAX_BODY_BYTES);
  return admitted(key, context.limits, (place) =>
    deliver(key, { text: message, ...saidBy(caller) }, event, place, context, 202),
  );
};

/** `POST /sessions/{sessionId}/wrap-up`: the run that is going sums up and ends (T6). Says so when there is none. */
export const wrapUpRun: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const eventId = eventIdOf(event, io);
  const asked = await askOf(key, 'wrap_up', eventId, io);
  if (asked === 'idle') return json(202, { asked: false });
  return answerTo(asked, { sessionId: key.sessionId, asked: true }, 202);
};

const saidBy = (caller: Identity) => ({ by: caller.subject, caller: callerFacts(caller, 'http') });

async function deliver(
  key: SessionKey,
  said: { readonly text: string } & ReturnType<typeof saidBy>,
  event: APIGatewayProxyEventV2,
  place: Admitted,
  { io }: RouteContext,
  status: number,
) {
  const eventId = eventIdOf(event, io);
  const accepted = await accept(key, { eventId, ...said }, io);
  if (accepted === 'duplicate') await place.giveBack();
  const { sessionId } = key;
  return answerTo(accepted, { sessionId, eventId, duplicate: accepted === 'duplicate' }, status);
}

function answerTo(accepted: Accepted, body: object, status: number) {
  switch (accepted) {
    case 'accepted':
    case 'duplicate':
      return json(status, body);
    case 'conflict':
      throw reusedKey();
    case 'full':
      throw new Refusal(
        429,
        'Inbox full',
        { detail: 'Too many messages wait in this session. Try again when its run has read some.' },
        { 'retry-after': '10' },
      );
    case 'unknown_session':
      throw noSuchSession();
    default:
      return accepted satisfies never;
  }
}

function eventIdOf(event: APIGatewayProxyEventV2, io: RouteContext['io']): string {
  const idempotencyKey = idempotencyKeyOf(event);
  return idempotencyKey ? `key-${hash(idempotencyKey)}` : `http-${io.ids.next()}`;
}

function idempotencyKeyOf(event: APIGatewayProxyEventV2): string | undefined {
  const sent = event.headers['idempotency-key'];
  return sent === undefined ? undefined : parseOr400(IdempotencyKey, sent, 'Idempotency-Key header');
}

const reusedKey = () =>
  new Refusal(422, 'Idempotency-Key reused', {
    detail: 'This key was sent before with another body. Use a new key for a new request.',
  });

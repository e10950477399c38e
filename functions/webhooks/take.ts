import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Wakeup, WebhookSource } from '../../agents/webhook.ts';
import { type Accepted, accept, openSession } from '../../shared/agent/accept.ts';
import type { Agent } from '../../shared/agent/define.ts';
import { hash } from '../../shared/agent/hash.ts';
import type { HookLog } from '../../shared/agent/hook-log.ts';
import { callbackDestination } from '../../shared/agent/outbound/callback.ts';
import type { Destination, OutboundStore } from '../../shared/agent/outbound/destination.ts';
import type { PriceOf } from '../../shared/agent/pin.ts';
import type { Ports } from '../../shared/agent/ports.ts';
import { parseCallbackUrl } from '../../shared/aws/callbacks/addresses.ts';
import { log } from '../../shared/aws/logger.ts';
import { MAX_TEXT } from '../../shared/contract/http.ts';
import { sessionIdFor } from '../../shared/contract/ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { requestOf } from './delivery.ts';
import type { SecretsOf } from './secrets.ts';
import { verifyDelivery } from './verify.ts';

/** What the route of the webhooks works with. */
export interface HookContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue'> & { readonly outbound: OutboundStore };
  readonly hookLog: HookLog;
  readonly secretsOf: SecretsOf;
  readonly webhooks: Readonly<Record<string, WebhookSource>>;
  readonly agents: readonly Agent[];
  readonly priceOf: PriceOf;
  /** For the laptop: a callback may go to this machine. */
  readonly allowLoopback: boolean;
}

/** `POST /hooks/{source}`: a delivery, verified over the raw bytes, mapped to an agent's session, accepted once. */
export async function takeDelivery(event: APIGatewayProxyEventV2, context: HookContext) {
  const { io, hookLog, webhooks } = context;
  const name = event.pathParameters?.source ?? '';
  const source = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
  if (!source) {
    throw new Refusal(404, 'No such webhook', { detail: `Nothing here takes events of "${name}".` });
  }
  const request = requestOf(event, io.clock.now());
  const secrets = await context.secretsOf(source.verify.secretSetting);
  const { key: id, signed, ...delivery } = await verifyDelivery(request, secrets, source.verify);
  const wakeup = source.map(delivery);
  if (!wakeup) return json(200, { ignored: delivery.name });

  const { tenant } = source;
  const { body } = request;
  const noted = await hookLog.note({ tenant, source: name, id, body, ...(signed && { signed }) });
  if (noted === 'conflict') {
    log('warn', 'a webhook came again with another body', { source: name, tenant });
    return json(200, { duplicate: true, conflict: true });
  }
  if (noted === 'replay') {
    log('warn', 'a webhook came again under another id, which its sender does not sign', {
      source: name,
      tenant,
    });
    return json(200, { duplicate: true, replay: true });
  }
  const key = { tenant, sessionId: await sessionIdFor('hook', wakeup.sessionKey) };
  await open(key, name, wakeup, context);
  const eventId = `${name}-${hash(id)}`;
  const said = { text: cutToMax(wakeup.message), by: `webhook:${name}`, whenFull: 'keep' as const };
  return answer(await accept(key, { eventId, ...said }, io), key.sessionId);
}

/** A payload may be larger than a message: the model is told that there was more. */
function cutToMax(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const mark = `\n[cut: the whole has ${text.length} characters]`;
  return text.slice(0, MAX_TEXT - mark.length) + mark;
}

/** Makes the session, if there is none. One of another agent answers nothing that was sent for this one. */
async function open(key: SessionKey, source: string, wakeup: Wakeup, context: HookContext): Promise<void> {
  const { io, agents, priceOf, allowLoopback } = context;
  const agent = agents.find((candidate) => candidate.name === wakeup.agent);
  if (!agent) throw new Error(`the webhook ${source} names an unknown agent: ${wakeup.agent}`);
  const url = wakeup.callbackUrl;
  const callback = url === undefined ? undefined : callbackOf(source, url, allowLoopback);
  const opened = await openSession(key, agent, priceOf, io, { outbound: callback !== undefined });
  if (opened === 'other_agent') {
    const { tenant, sessionId } = key;
    const facts = { source, tenant, sessionId, agent: agent.name };
    log('error', 'a webhook was refused: its session belongs to another agent', facts);
    throw new Refusal(409, 'Session of another agent', {
      detail: `The session of this event is not one of the agent ${agent.name}.`,
    });
  }
  if (callback) await io.outbound.put(key, callback);
}

/** The mapping is this deployment's own: a URL that cannot be called is a mistake of ours, not of the sender. */
function callbackOf(source: string, text: string, allowLoopback: boolean): Destination {
  const parsed = parseCallbackUrl(text, allowLoopback);
  if ('refused' in parsed) throw new Error(`the callbackUrl of the webhook ${source} ${parsed.refused}`);
  return callbackDestination(parsed.url.href);
}

function answer(accepted: Accepted, sessionId: string) {
  switch (accepted) {
    case 'accepted':
      return json(202, { sessionId, duplicate: false });
    case 'duplicate':
      return json(200, { sessionId, duplicate: true });
    // The mapping has changed since the first delivery, and says it in other words.
    case 'conflict':
      return json(200, { sessionId, duplicate: true, conflict: true });
    case 'full':
    case 'unknown_session':
      throw new Error(
        `the session ${sessionId} was just opened, keeps what is too much for it, and says ${accepted}`,
      );
    default:
      return accepted satisfies never;
  }
}

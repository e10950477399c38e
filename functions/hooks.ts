import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { agents, webhooks } from '#agents';
import { accept, openSession } from '../shared/agent/accept.ts';
import { hash } from '../shared/agent/hash.ts';
import { callbackDestination } from '../shared/agent/outbound/callback.ts';
import type { Destination } from '../shared/agent/outbound/destination.ts';
import { parseCallbackUrl } from '../shared/aws/callbacks/addresses.ts';
import { createHookLog } from '../shared/aws/hook-log.ts';
import { priceOf } from '../shared/aws/prices.ts';
import { MAX_TEXT } from '../shared/contract/http.ts';
import { sessionIdFor } from '../shared/contract/ids.ts';
import { edgePorts } from './middleware/edge-ports.ts';
import { readEnv } from './middleware/environment.ts';
import { log } from './middleware/log.ts';
import { problems, Refusal } from './middleware/problem.ts';
import { json } from './middleware/request.ts';
import { requestOf } from './webhooks/delivery.ts';
import { webhookSecrets } from './webhooks/secrets.ts';
import { verifyDelivery } from './webhooks/verify.ts';

const env = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'CALLBACK_LOOPBACK',
  'WEBHOOK_SECRETS_ID',
  'GITHUB_WEBHOOK_SECRET_ID',
);
const { io, dynamo } = edgePorts(env);
const hookLog = createHookLog(dynamo, io.clock);
const { WEBHOOK_SECRETS_ID, GITHUB_WEBHOOK_SECRET_ID, CALLBACK_LOOPBACK } = env;
const secretsOf = webhookSecrets(io.secrets, { GITHUB_WEBHOOK_SECRET_ID }, WEBHOOK_SECRETS_ID);

/** Deliveries of other systems: verified over the raw bytes, mapped to an agent's session, accepted once. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(problems())
  .handler(async (event) => {
    const name = event.pathParameters?.source ?? '';
    const source = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
    if (!source) {
      throw new Refusal(404, 'No such webhook', { detail: `Nothing here takes events of "${name}".` });
    }
    const request = requestOf(event, io.clock.now());
    const delivery = await verifyDelivery(
      request,
      await secretsOf(source.verify.secretSetting),
      source.verify,
    );
    const wakeup = source.map(delivery);
    if (!wakeup) return json(200, { ignored: delivery.name });

    const agent = agents.find((candidate) => candidate.name === wakeup.agent);
    if (!agent) throw new Error(`the webhook ${name} names an unknown agent: ${wakeup.agent}`);
    const { tenant } = source;
    if ((await hookLog.note(tenant, name, delivery.key, request.body)) === 'conflict') {
      log('warn', 'a webhook came again with another body', { source: name, tenant });
      return json(200, { duplicate: true, conflict: true });
    }
    const key = { tenant, sessionId: await sessionIdFor(wakeup.sessionKey) };
    const callback = wakeup.callbackUrl === undefined ? undefined : callbackOf(name, wakeup.callbackUrl);
    await openSession(key, agent, priceOf, io, { outbound: callback !== undefined });
    if (callback) await io.outbound.put(key, callback);
    const eventId = `${name}-${hash(delivery.key)}`;
    return answer(await accept(key, { eventId, text: cutToMax(wakeup.message) }, io), key.sessionId);
  });

/** A payload may be larger than a message: the model is told that there was more. */
function cutToMax(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const mark = `\n[cut: the whole has ${text.length} characters]`;
  return text.slice(0, MAX_TEXT - mark.length) + mark;
}

/** The mapping is this deployment's own: a URL that cannot be called is a mistake of ours, not of the sender. */
function callbackOf(source: string, text: string): Destination {
  const parsed = parseCallbackUrl(text, CALLBACK_LOOPBACK === 'allow');
  if ('refused' in parsed) throw new Error(`the callbackUrl of the webhook ${source} ${parsed.refused}`);
  return callbackDestination(parsed.url.href);
}

function answer(accepted: Awaited<ReturnType<typeof accept>>, sessionId: string) {
  switch (accepted) {
    case 'accepted':
      return json(202, { sessionId, duplicate: false });
    case 'duplicate':
      return json(200, { sessionId, duplicate: true });
    // The mapping has changed since the first delivery, and says it in other words.
    case 'conflict':
      return json(200, { sessionId, duplicate: true, conflict: true });
    case 'full':
      throw new Refusal(503, 'Inbox full', { detail: 'Deliver it again later.' }, { 'retry-after': '60' });
    case 'unknown_session':
      throw new Error(`the session ${sessionId} was just opened and is not there`);
    default:
      return accepted satisfies never;
  }
}

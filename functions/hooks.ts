import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { agents, webhooks } from '#agents';
import { accept, openSession } from '../shared/agent/accept.ts';
import { awsPorts } from '../shared/aws/ports.ts';
import { priceOf } from '../shared/aws/prices.ts';
import { DEFAULT_TENANT } from '../shared/contract/identity.ts';
import { sessionIdFor } from '../shared/contract/ids.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { problems, Refusal } from './middleware/problem.ts';
import { json } from './middleware/request.ts';
import { verifyGithub } from './webhooks/github.ts';

const { TABLE_NAME, STEP_QUEUE_URL, BLOB_BUCKET, GITHUB_WEBHOOK_SECRET_ID } = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'GITHUB_WEBHOOK_SECRET_ID',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  queueUrl: STEP_QUEUE_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});

/** Deliveries of other systems: verified over the raw body, mapped to an agent's session, accepted once. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(problems())
  .handler(async (event) => {
    const source = event.pathParameters?.source ?? '';
    const mapping = Object.hasOwn(webhooks, source) ? webhooks[source] : undefined;
    if (source !== 'github' || !mapping) {
      throw new Refusal(404, 'No such webhook', { detail: `Nothing here takes events of "${source}".` });
    }
    const delivery = await verifyGithub(event, () => io.secrets.get(GITHUB_WEBHOOK_SECRET_ID));
    const wakeup = mapping(delivery);
    if (!wakeup) return json(200, { ignored: delivery.name });

    const agent = agents.find(({ name }) => name === wakeup.agent);
    if (!agent) throw new Error(`the webhook ${source} names an unknown agent: ${wakeup.agent}`);
    const key = { tenant: DEFAULT_TENANT, sessionId: await sessionIdFor(wakeup.sessionKey) };
    await openSession(key, agent, priceOf, io);
    const accepted = await accept(key, { eventId: delivery.eventId, text: wakeup.message }, io);
    return answer(accepted, key.sessionId);
  });

function answer(accepted: Awaited<ReturnType<typeof accept>>, sessionId: string) {
  switch (accepted) {
    case 'accepted':
      return json(202, { sessionId, duplicate: false });
    case 'duplicate':
    case 'conflict':
      return json(200, { sessionId, duplicate: true });
    case 'full':
      throw new Refusal(503, 'Inbox full', { detail: 'Deliver it again later.' }, { 'retry-after': '60' });
    case 'unknown_session':
      throw new Error(`the session ${sessionId} was just opened and is not there`);
    default:
      return accepted satisfies never;
  }
}

import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { agents } from '#agents';
import { clients } from '../shared/aws/clients.ts';
import { createConnections } from '../shared/aws/connections.ts';
import { createDynamo } from '../shared/aws/dynamo.ts';
import { awsPorts } from '../shared/aws/ports.ts';
import { priceOf } from '../shared/aws/prices.ts';
import type { HttpRoute } from '../shared/contract/routes.ts';
import { authorize } from './middleware/authorize.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { problems, Refusal } from './middleware/problem.ts';
import { addMessage, createSession } from './routes/arrivals.ts';
import { readCallbackSecrets } from './routes/callbacks.ts';
import type { CallbackContext, Route, RouteContext } from './routes/context.ts';
import { index } from './routes/index.ts';
import { cancelRun, readEvents, readMessages, readSession } from './routes/reads.ts';
import { issueTicket } from './routes/tickets.ts';

const { TABLE_NAME, STEP_QUEUE_URL, BLOB_BUCKET, API_TOKEN_SECRET_ID, ...callbackEnv } = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'API_TOKEN_SECRET_ID',
  'CALLBACK_SIGNING_SECRET_ID',
  'CALLBACK_LOOPBACK',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  queueUrl: STEP_QUEUE_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});
const connections = createConnections(createDynamo(clients.dynamo(), TABLE_NAME), io.clock);
const callbacks: CallbackContext = {
  allowLoopback: callbackEnv.CALLBACK_LOOPBACK === 'allow',
  masters: () => io.secrets.get(callbackEnv.CALLBACK_SIGNING_SECRET_ID),
};
const context: RouteContext = { io, connections, agents, priceOf, callbacks };

const routes: Record<Exclude<HttpRoute, 'GET /'>, Route> = {
  'POST /sessions': createSession,
  'GET /sessions/{sessionId}': readSession,
  'POST /sessions/{sessionId}/messages': addMessage,
  'GET /sessions/{sessionId}/messages': readMessages,
  'GET /sessions/{sessionId}/events': readEvents,
  'POST /sessions/{sessionId}/cancel': cancelRun,
  'GET /callbacks/secrets': readCallbackSecrets,
  'POST /tickets': issueTicket,
};

/** The HTTP API: JSON in and out, errors as RFC 9457 problem documents. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
  .use(problems())
  .handler(async (event) => {
    if (event.routeKey === 'GET /') return index(agents);
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    const tenant = await authorize(event, () => io.secrets.get(API_TOKEN_SECRET_ID));
    return route(event, tenant, context);
  });

const isRoute = (key: string): key is keyof typeof routes => Object.hasOwn(routes, key);

import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { agents, webhooks } from '#agents';
import { createBodies } from '../shared/aws/bodies.ts';
import { createConnections } from '../shared/aws/connections.ts';
import { createDeadDeliveries } from '../shared/aws/dead-deliveries.ts';
import { MAX_BODY_BYTES } from '../shared/contract/http.ts';
import type { HttpRoute } from '../shared/contract/routes.ts';
import { priceOf } from '../shared/models/prices.ts';
import { authorize } from './middleware/authorize.ts';
import { openCredentials } from './middleware/credentials.ts';
import { edgePorts } from './middleware/edge-ports.ts';
import { readEnv } from './middleware/environment.ts';
import { openLimits } from './middleware/limits.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { rawBody } from './middleware/request.ts';
import { addMessage, createSession, wrapUpRun } from './routes/arrivals.ts';
import { readCallbackSecrets } from './routes/callbacks.ts';
import type { CallbackContext, Route, RouteContext } from './routes/context.ts';
import { listDead, readDead, redriveAllDead, redriveDead } from './routes/dead-deliveries.ts';
import { postDecision } from './routes/decisions.ts';
import { description, index } from './routes/index.ts';
import { listKeys, mintKey, revokeKey } from './routes/keys.ts';
import { cancelRun, readEvents, readMessages, readSession } from './routes/reads.ts';
import { issueTicket } from './routes/tickets.ts';
import { readWait } from './routes/waits.ts';

const env = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'CALLBACK_SIGNING_SECRET_ID',
  'CALLBACK_LOOPBACK',
);
const { io, dynamo } = edgePorts(env);
const credentials = openCredentials({ ...io, dynamo });
const callbacks: CallbackContext = {
  allowLoopback: env.CALLBACK_LOOPBACK === 'allow',
  masters: () => io.secrets.get(env.CALLBACK_SIGNING_SECRET_ID),
};
const context: RouteContext = {
  io,
  connections: createConnections(dynamo, io.clock),
  keys: credentials.keys,
  limits: openLimits(dynamo, io.clock),
  agents,
  priceOf,
  callbacks,
  webhooks,
  dead: createDeadDeliveries(dynamo, createBodies(io.blobs), io.clock),
};

const routes: Record<Exclude<HttpRoute, 'GET /' | 'GET /openapi.json'>, Route> = {
  'POST /sessions': createSession,
  'GET /sessions/{sessionId}': readSession,
  'POST /sessions/{sessionId}/messages': addMessage,
  'GET /sessions/{sessionId}/messages': readMessages,
  'GET /sessions/{sessionId}/events': readEvents,
  'GET /sessions/{sessionId}/waits/{waitId}': readWait,
  'POST /sessions/{sessionId}/decisions': postDecision,
  'POST /sessions/{sessionId}/cancel': cancelRun,
  'POST /sessions/{sessionId}/wrap-up': wrapUpRun,
  'GET /callbacks/secrets': readCallbackSecrets,
  'GET /hooks/dead': listDead,
  'POST /hooks/dead/redrive': redriveAllDead,
  'GET /hooks/dead/{deliveryId}': readDead,
  'POST /hooks/dead/{deliveryId}/redrive': redriveDead,
  'POST /tickets': issueTicket,
  'POST /keys': mintKey,
  'GET /keys': listKeys,
  'POST /keys/{keyId}/revoke': revokeKey,
};

/** The HTTP API: JSON in and out, errors as RFC 9457 problem documents. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
  .use(problems())
  .handler(async (event) => {
    if (event.routeKey === 'GET /') return index(agents);
    if (event.routeKey === 'GET /openapi.json') return description();
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    rawBody(event, MAX_BODY_BYTES);
    return route(event, await authorize(event, credentials), context);
  });

const isRoute = (key: string): key is keyof typeof routes => Object.hasOwn(routes, key);

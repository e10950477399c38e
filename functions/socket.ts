import middy from '@middy/core';
import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { agents } from '#agents';
import { createApiKeys } from '../shared/aws/api-keys.ts';
import { clients } from '../shared/aws/clients.ts';
import { createConnections } from '../shared/aws/connections.ts';
import { createDynamo } from '../shared/aws/dynamo.ts';
import { awsPorts } from '../shared/aws/ports.ts';
import type { SocketRoute } from '../shared/contract/routes.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { inTime, RESERVE_MS } from './middleware/in-time.ts';
import { toRefusal } from './middleware/problem.ts';
import { answerSocket, forget, type SocketContext } from './routes/socket-actions.ts';

const { TABLE_NAME, STEP_QUEUE_URL, SOCKET_URL, BLOB_BUCKET } = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'SOCKET_URL',
  'BLOB_BUCKET',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  queueUrl: STEP_QUEUE_URL,
  socketUrl: SOCKET_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});
const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
const connections = createConnections(dynamo, io.clock);
const context: SocketContext = { io, connections, keys: createApiKeys(dynamo, io.clock), agents };

/** At `$connect` the event also has what an HTTP request has. */
type SocketEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>>;
};

const routes: Record<SocketRoute, (event: SocketEvent, msLeft: number) => Promise<number>> = {
  /** Who connects says so with a ticket from `POST /tickets`, once. */
  $connect: async ({ requestContext, queryStringParameters }) => {
    const caller = await connections.redeemTicket(queryStringParameters?.ticket ?? '');
    if (!caller) return 401;
    await connections.open(requestContext.connectionId, caller);
    return 200;
  },
  $disconnect: async ({ requestContext: { connectionId } }) => {
    await forget(connectionId, context);
    return 200;
  },
  $default: ({ requestContext: { connectionId, requestId }, body = '' }, msLeft) =>
    answerSocket({ connectionId, requestId, body, msLeft }, context),
};

/** The WebSocket API. */
export const handler = middy<SocketEvent, { statusCode: number }>().handler(async (event, lambda) => {
  const { routeKey, connectionId, requestId } = event.requestContext;
  const route = isRoute(routeKey) ? routes[routeKey] : routes.$default;
  const msLeft = lambda.getRemainingTimeInMillis() - RESERVE_MS;
  try {
    return { statusCode: await inTime(route(event, msLeft - NOTICE_MS), msLeft) };
  } catch (error) {
    return {
      statusCode: toRefusal(error, requestId, { routeKey, connectionId, apiRequestId: requestId }).problem
        .status,
    };
  }
});

/** Time in ms for telling a client over its connection that there was none left. */
const NOTICE_MS = 2_000;

const isRoute = (key: string): key is SocketRoute => Object.hasOwn(routes, key);

import type { APIGatewayProxyWebsocketEventV2, Context } from 'aws-lambda';
import type { SocketRoute } from '../shared/contract/routes.ts';
import { inTime, RESERVE_MS } from './middleware/in-time.ts';
import { toRefusal } from './middleware/problem.ts';
import { socketPorts } from './ports/socket.ts';
import { answerSocket, forget } from './routes/socket-actions.ts';

const context = socketPorts();

/** At `$connect` the event also has the fields of an HTTP request. */
type SocketEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>>;
};

const routes: Record<SocketRoute, (event: SocketEvent, msLeft: number) => Promise<number>> = {
  /** A client authenticates with a single-use ticket from `POST /tickets`. */
  $connect: async ({ requestContext, queryStringParameters }) => {
    const caller = await context.tickets.redeem(queryStringParameters?.ticket ?? '');
    if (!caller) return 401;
    await context.connections.open(requestContext.connectionId, caller);
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
export const handler = async (event: SocketEvent, lambda: Context): Promise<{ statusCode: number }> => {
  const { routeKey, connectionId, requestId } = event.requestContext;
  const route = isRoute(routeKey) ? routes[routeKey] : routes.$default;
  const msLeft = lambda.getRemainingTimeInMillis() - RESERVE_MS;
  try {
    return { statusCode: await inTime(route(event, msLeft - NOTICE_MS), msLeft) };
  } catch (error) {
    const facts = { routeKey, connectionId, apiRequestId: requestId };
    return { statusCode: toRefusal(error, requestId, facts, context.isOutage).problem.status };
  }
};

/** Time in ms that is kept to tell a client over its connection that time ran out. */
const NOTICE_MS = 2_000;

const isRoute = (key: string): key is SocketRoute => Object.hasOwn(routes, key);

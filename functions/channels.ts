import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { readOnce } from '../shared/agent/plain/read-once.ts';
import type { ChannelsRoute } from '../shared/contract/routes.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { channelPorts } from './ports/channels.ts';

const context = channelPorts();

const readAsks = readOnce(() => import('./channels/asks.ts'));
const readReceiving = readOnce(() => import('./channels/receive.ts'));

const routes: Record<
  ChannelsRoute,
  (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>
> = {
  'GET /asks/{token}': async (event) => (await readAsks()).showAsk(event, context),
  'POST /asks/{token}': async (event) => (await readAsks()).decideAsk(event, context),
  'POST /channels/{channel}': async (event) => (await readReceiving()).onDelivery(event, context),
};

/** Deliveries of channels, and the pages on which people decide what they were asked. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
  .use(problems(context.isOutage))
  .handler(async (event) => {
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    return route(event);
  });

const isRoute = (key: string): key is ChannelsRoute => Object.hasOwn(routes, key);

import middy from '@middy/core';
import { readOnce } from '../shared/agent/plain/read-once.ts';
import { TenantKeyDeleted } from '../shared/agent/plain/tenant-key-deleted.ts';
import type { SlackRoute } from '../shared/contract/routes.ts';
import { log } from '../shared/logger.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { slackPorts } from './ports/slack.ts';
import type { Request, Response } from './slack/context.ts';
import { onEvents } from './slack/events.ts';
import { verifiedBody } from './slack/verified.ts';

const { context, installing, signingSecret, isOutage } = slackPorts();

const signed =
  (route: (body: string, of: typeof context) => Promise<Response>) =>
  async (event: Request): Promise<Response> =>
    route(await verifiedBody(event, signingSecret, context.io.clock.now()), context).catch(dropped);

/**
 * Slack stops sending events to an app that acknowledges fewer than 5% of them (https://api.slack.com/apis/events-api, "Error
 * handling"), and those of other tenants are among them.
 */
function dropped(error: unknown): Response {
  if (!(error instanceof TenantKeyDeleted)) throw error;
  log('info', 'a message of a tenant whose key was deleted was dropped', { tenant: error.tenant });
  return { statusCode: 200 };
}

/** Most requests are events. The code of all others is read by the first of them. */
const readByHand = readOnce(() => import('./slack/by-hand.ts'));

const routes: Record<SlackRoute, (event: Request) => Promise<Response>> = {
  'POST /slack/events': signed(onEvents),
  'POST /slack/interactions': signed(async (...request) => (await readByHand()).onInteractions(...request)),
  'POST /slack/commands': signed(async (...request) => (await readByHand()).onCommands(...request)),
  'GET /slack/install': async (event) => (await readByHand()).onInstall(event, installing),
  'GET /slack/oauth/callback': async (event) => (await readByHand()).onCallback(event, installing),
};

/** The Slack app: Slack's signed requests, and its installation into workspaces. */
export const handler = middy<Request, Response>(answerInTime)
  .use(problems(isOutage))
  .handler(async (event) => {
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    return route(event);
  });

const isRoute = (key: string): key is SlackRoute => Object.hasOwn(routes, key);

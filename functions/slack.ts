import middy from '@middy/core';
import type { SlackRoute } from '../shared/contract/routes.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { slackPorts } from './ports/slack.ts';
import { onCommands } from './slack/commands.ts';
import type { Request, Response } from './slack/context.ts';
import { onEvents } from './slack/events.ts';
import { onCallback, onInstall } from './slack/install.ts';
import { onInteractions } from './slack/interactions.ts';
import { verifiedBody } from './slack/verified.ts';

const { context, installing, signingSecret, isOutage } = slackPorts();

const signed =
  (route: (body: string, of: typeof context) => Promise<Response>) =>
  async (event: Request): Promise<Response> =>
    route(await verifiedBody(event, signingSecret, context.io.clock.now()), context);

const routes: Record<SlackRoute, (event: Request) => Promise<Response>> = {
  'POST /slack/events': signed(onEvents),
  'POST /slack/interactions': signed(onInteractions),
  'POST /slack/commands': signed(onCommands),
  'GET /slack/install': (event) => onInstall(event, installing),
  'GET /slack/oauth/callback': (event) => onCallback(event, installing),
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

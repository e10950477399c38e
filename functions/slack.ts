import middy from '@middy/core';
import { createConnections } from '../shared/aws/connections.ts';
import type { SlackRoute } from '../shared/contract/routes.ts';
import { readEnv } from './middleware/environment.ts';
import { answerInTime, problems, Refusal } from './middleware/problem.ts';
import { onCommands } from './slack/commands.ts';
import type { Request, Response } from './slack/context.ts';
import { onEvents } from './slack/events.ts';
import { type InstallContext, onCallback, onInstall } from './slack/install.ts';
import { onInteractions } from './slack/interactions.ts';
import { slackPorts } from './slack/ports.ts';
import { verifiedBody } from './slack/verified.ts';

const { SLACK_SIGNING_SECRET_ID, SLACK_CLIENT_SECRET_ID, SLACK_CLIENT_ID } = readEnv(
  'SLACK_SIGNING_SECRET_ID',
  'SLACK_CLIENT_SECRET_ID',
  'SLACK_CLIENT_ID',
);
const { context, dynamo, secrets } = slackPorts();
const installing: InstallContext = {
  ...context,
  tickets: createConnections(dynamo, context.io.clock),
  clientId: SLACK_CLIENT_ID,
  clientSecret: () => secrets.get(SLACK_CLIENT_SECRET_ID),
};

const signed =
  (route: (body: string, of: typeof context) => Promise<Response>) =>
  async (event: Request): Promise<Response> => {
    const secret = () => secrets.get(SLACK_SIGNING_SECRET_ID);
    return route(await verifiedBody(event, secret, context.io.clock.now()), context);
  };

const routes: Record<SlackRoute, (event: Request) => Promise<Response>> = {
  'POST /slack/events': signed(onEvents),
  'POST /slack/interactions': signed(onInteractions),
  'POST /slack/commands': signed(onCommands),
  'GET /slack/install': (event) => onInstall(event, installing),
  'GET /slack/oauth/callback': (event) => onCallback(event, installing),
};

/** The Slack app: what Slack sends, signed, and its installation into workspaces. */
export const handler = middy<Request, Response>(answerInTime)
  .use(problems())
  .handler(async (event) => {
    const route = isRoute(event.routeKey) ? routes[event.routeKey] : undefined;
    if (!route) throw new Refusal(404, 'No such route');
    return route(event);
  });

const isRoute = (key: string): key is SlackRoute => Object.hasOwn(routes, key);

import definition from '#definition';
import { readOnce } from '../../shared/agent/plain/read-once.ts';
import { clients } from '../../shared/aws/clients.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createSlackJobs } from '../../shared/aws/slack-jobs.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { createProfiles } from '../../shared/slack/profiles.ts';
import { readEnv } from '../middleware/environment.ts';
import type { SlackContext } from '../slack/context.ts';
import type { InstallContext } from '../slack/install.ts';
import { outboundPorts } from './edge.ts';
import { feedbackOf } from './feedback.ts';
import { jobSealOf } from './sealed-jobs.ts';
import { slackTokenPorts } from './slack-tokens.ts';

/** An event, which Slack waits for, needs neither. */
const readTickets = readOnce(() => import('../../shared/aws/tickets.ts'));
const readDeciding = readOnce(() => import('../middleware/decide.ts'));

/** The ports of the Slack app's routes. */
export function slackPorts() {
  const { SLACK_SIGNING_SECRET_ID, SLACK_CLIENT_SECRET_ID, SLACK_CLIENT_ID } = readEnv(
    'SLACK_SIGNING_SECRET_ID',
    'SLACK_CLIENT_SECRET_ID',
    'SLACK_CLIENT_ID',
  );
  const { context, dynamo, secrets } = open();
  const installing: InstallContext = {
    ...context,
    tickets: {
      redeem: async (ticket) => (await readTickets()).createTickets(dynamo, context.io.clock).redeem(ticket),
    },
    clientId: SLACK_CLIENT_ID,
    clientSecret: () => secrets.get(SLACK_CLIENT_SECRET_ID),
  };
  const signingSecret = () => secrets.get(SLACK_SIGNING_SECRET_ID);
  return { context, installing, signingSecret, isOutage };
}

/** The ports of the Slack app's jobs, and how their messages are opened. */
export function slackJobPorts() {
  const { context, seal } = open();
  return { context, openJob: seal?.open ?? (async (body: string) => body) };
}

function open() {
  const env = readEnv(
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'DELIVERY_QUEUE_URL',
    'BLOB_BUCKET',
    'SLACK_JOBS_QUEUE_URL',
    'SLACK_API_URL',
  );
  const { agents, slack } = definition;
  if (!slack) throw new Error('the definition has no slack');
  const { io, dynamo } = outboundPorts(env);
  const store = createSlackStore(dynamo, io.clock);
  const { tokens, tokenOf } = slackTokenPorts(io, store);
  const seal = jobSealOf(async (team) => (await store.installation(team))?.tenant);
  const context: SlackContext = {
    io,
    feedback: feedbackOf(dynamo),
    ...{ store, tokens, tokenOf },
    jobs: createSlackJobs(clients.sqs(), env.SLACK_JOBS_QUEUE_URL, seal),
    agents,
    config: slack,
    priceOf,
    decide: async (by, key, decision) => (await readDeciding()).decideAs(by, key, decision, { io, agents }),
    apiUrl: env.SLACK_API_URL,
    profileOf: createProfiles({ apiUrl: env.SLACK_API_URL, tokenOf, clock: io.clock }),
    // Loaded on demand: accepting an event, which Slack waits for, does not need it.
    apiOf: async (installation) => {
      const { createSlackApi, webClient } = await import('../../shared/slack/web-api.ts');
      return createSlackApi(webClient(env.SLACK_API_URL, await tokenOf(installation)));
    },
  };
  return { context, dynamo, secrets: io.secrets, seal };
}

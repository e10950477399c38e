import { agents, slack } from '#agents';
import { clients } from '../../shared/aws/clients.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createSlackJobs } from '../../shared/aws/slack-jobs.ts';
import { createSlackTokens } from '../../shared/aws/slack-tokens.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { decideAs } from '../middleware/decide.ts';
import { edgePorts } from '../middleware/edge-ports.ts';
import { readEnv } from '../middleware/environment.ts';
import type { SlackContext } from './context.ts';

/** What the two functions of the Slack app share: its routes, and its jobs. */
export function slackPorts() {
  const env = readEnv(
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'DELIVERY_QUEUE_URL',
    'BLOB_BUCKET',
    'SLACK_JOBS_QUEUE_URL',
    'SLACK_API_URL',
    'SLACK_TOKEN_PREFIX',
  );
  // It was the only rule once: passing it over in silence would let everybody decide.
  if ('mayDecide' in slack)
    throw new Error('slack.mayDecide has moved: say it in defineAgent({ mayDecide }), docs/identity.md');
  const { io, dynamo } = edgePorts(env);
  const tokens = createSlackTokens({
    prefix: env.SLACK_TOKEN_PREFIX,
    secrets: io.secrets,
    client: clients.secretsManager,
  });
  const context: SlackContext = {
    io,
    store: createSlackStore(dynamo, io.clock),
    tokens,
    jobs: createSlackJobs(clients.sqs(), env.SLACK_JOBS_QUEUE_URL),
    agents,
    config: slack,
    priceOf,
    decide: (by, key, decision) => decideAs(by, key, decision, { io, agents }),
    apiUrl: env.SLACK_API_URL,
    // Not needed to take something in, which Slack waits for.
    apiOf: async ({ secretId }) => {
      const { createSlackApi, webClient } = await import('../../shared/slack/web-api.ts');
      return createSlackApi(webClient(env.SLACK_API_URL, await tokens.get(secretId)));
    },
  };
  return { context, dynamo, secrets: io.secrets };
}

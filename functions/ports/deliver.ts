import { outcomesOf } from '../../shared/agent/doors/wait-outcomes.ts';
import { callbackChannel } from '../../shared/agent/outbound/callback.ts';
import type { Channel, Channels } from '../../shared/agent/outbound/deliver.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createCallbacks } from '../../shared/callbacks/callbacks.ts';
import { callbackPoster } from '../../shared/callbacks/poster.ts';
import { log } from '../../shared/logger.ts';
import { outcomeTexts } from '../../shared/slack/asks.ts';
import { createSlackChannel } from '../../shared/slack/channel.ts';
import { optionalEnv, readEnv } from '../middleware/environment.ts';
import { outboundPorts } from './edge.ts';
import { slackTokenPorts } from './slack-tokens.ts';

/** What the delivery to listeners outside works with, and how each kind of them is told. */
export function deliverPorts() {
  const { io, dynamo } = outboundPorts(readEnv('TABLE_NAME', 'DELIVERY_QUEUE_URL', 'BLOB_BUCKET'));
  const signing = optionalEnv('CALLBACK_SIGNING_SECRET_ID');
  const slackUrl = optionalEnv('SLACK_API_URL');
  // A kind that this deployment does not have is told nothing: sessions of an earlier one may still name it.
  const channels: Channels = {
    ...(signing && { callback: callbacks(signing, io) }),
    ...(slackUrl && { slack: slack(slackUrl, io, dynamo) }),
  };
  return { io, channels };
}

type Outbound = ReturnType<typeof outboundPorts>;

function callbacks(signing: string, io: Outbound['io']): Channel {
  const calling = {
    allowLoopback: optionalEnv('CALLBACK_LOOPBACK') === 'allow',
    masters: () => io.secrets.get(signing),
  };
  return callbackChannel({ ...io, post: callbackPoster(createCallbacks(calling), calling) });
}

function slack(url: string, io: Outbound['io'], dynamo: Outbound['dynamo']): Channel {
  const store = createSlackStore(dynamo, io.clock);
  const { tokenOf } = slackTokenPorts(io, store);
  return createSlackChannel({
    ...{ store, tokenOf },
    apiWith: async (token) => {
      const { createSlackApi, webClient } = await import('../../shared/slack/web-api.ts');
      return createSlackApi(webClient(url, token));
    },
    sessions: io.sessions,
    clock: io.clock,
    outcomes: async (key, asks) => {
      const ids = asks.map(({ id }) => id);
      return outcomeTexts(asks, await outcomesOf(key, ids, io));
    },
    log: (message, facts) => log('warn', message, facts),
  });
}

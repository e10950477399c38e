import { outcomesOf } from '../../shared/agent/events/wait-outcomes.ts';
import { callbackChannel } from '../../shared/agent/outbound/callback.ts';
import type { Channel, Channels } from '../../shared/agent/outbound/deliver.ts';
import { readOnce } from '../../shared/agent/plain/read-once.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createCallbacks } from '../../shared/callbacks/callbacks.ts';
import { callbackPoster } from '../../shared/callbacks/poster.ts';
import { channelsChannel } from '../../shared/channels/channel.ts';
import { log } from '../../shared/logger.ts';
import { outcomeTexts } from '../../shared/slack/asks.ts';
import { createSlackChannel } from '../../shared/slack/channel.ts';
import { optionalEnv, readEnv } from '../middleware/environment.ts';
import { outboundPorts } from './edge.ts';
import { slackTokenPorts } from './slack-tokens.ts';

/** The ports of the delivery to outside listeners, and one channel for each kind of them. */
export function deliverPorts() {
  const ports = outboundPorts(readEnv('TABLE_NAME', 'DELIVERY_QUEUE_URL', 'BLOB_BUCKET'));
  const { io, dynamo } = ports;
  const signing = optionalEnv('CALLBACK_SIGNING_SECRET_ID');
  const slackUrl = optionalEnv('SLACK_API_URL');
  const links = optionalEnv('LINK_SIGNING_SECRET_ID');
  // Sessions of an earlier deployment may name a kind that this one does not have. Such listeners are skipped.
  const channels: Channels = {
    ...(signing && { callback: callbacks(signing, io) }),
    ...(slackUrl && { slack: slack(slackUrl, io, dynamo) }),
    ...(links && { channel: channelsOf(links, ports) }),
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

function channelsOf(links: string, ports: Outbound): Channel {
  const { io } = ports;
  const voices = readOnce(async () => (await import('./voices.ts')).voicesOf(ports));
  return channelsChannel({
    ...io,
    httpUrl: readEnv('HTTP_URL').HTTP_URL,
    masters: () => io.secrets.get(links),
    onFailed: (facts) => log('warn', 'a channel did not take an answer', facts),
    voiceOf: async (name) => (await voices())(name),
  });
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
    blobs: io.blobs,
    clock: io.clock,
    ...(optionalEnv('SLACK_TASK_CARDS') === 'on' && { cards: true }),
    ...(optionalEnv('SLACK_FEEDBACK') === 'on' && { rates: true }),
    outcomes: async (key, asks) => {
      const ids = asks.map(({ id }) => id);
      return outcomeTexts(asks, await outcomesOf(key, ids, io));
    },
    log: (message, facts) => log('warn', message, facts),
  });
}

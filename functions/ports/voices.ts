import definition from '#definition';
import type { Channel } from '../../shared/agent/outbound/deliver.ts';
import { clients } from '../../shared/aws/clients.ts';
import { createConfig } from '../../shared/aws/config.ts';
import { createMailStore } from '../../shared/aws/mail.ts';
import { createSes } from '../../shared/aws/ses.ts';
import { channelsChannel } from '../../shared/channels/channel.ts';
import { ownVoice } from '../../shared/channels/own.ts';
import { EMAIL } from '../../shared/channels/place.ts';
import type { Voice } from '../../shared/channels/voice.ts';
import { emailVoice } from '../../shared/email/voice.ts';
import { log } from '../../shared/logger.ts';
import { envRecord, readEnv } from '../middleware/environment.ts';
import type { outboundPorts } from './edge.ts';

type Outbound = ReturnType<typeof outboundPorts>;

/** The channel of everything that the definition calls a channel: e-mail, and its own. */
export function channels({ io, dynamo }: Outbound): Channel {
  const { channels: own, email, agents } = definition;
  const env = readEnv('HTTP_URL', 'LINK_SIGNING_SECRET_ID');
  const defaults = Object.entries(definition.settings).map(([name, setting]) => [name, setting.default]);
  const settings = { ...Object.fromEntries(defaults), ...envRecord('SETTINGS') };
  const secretIds = envRecord('SECRETS');
  const config = createConfig({ settings, secretIds, secrets: io.secrets });
  const tools = { secret: config.secret, setting: (name: string) => config.setting(name) ?? '' };
  const mail = (): Voice | undefined =>
    email &&
    emailVoice({
      ...{ config: email, agents },
      onRefused: (facts) => log('warn', 'a mail was not sent: SES refuses it', facts),
      store: createMailStore(dynamo, io.clock),
      send: createSes({ identity: clients.dynamo().config, url: readEnv('SES_URL').SES_URL }),
    });
  return channelsChannel({
    ...io,
    httpUrl: env.HTTP_URL,
    masters: () => io.secrets.get(env.LINK_SIGNING_SECRET_ID),
    onFailed: (facts) => log('warn', 'a channel did not take an answer', facts),
    voiceOf: async (name) => {
      if (name === EMAIL) return mail();
      const found = Object.hasOwn(own, name) ? own[name] : undefined;
      return found && ownVoice(found, tools);
    },
  });
}

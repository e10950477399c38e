import definition from '#definition';
import { clients } from '../../shared/aws/clients.ts';
import { createConfig } from '../../shared/aws/config.ts';
import { createMailStore } from '../../shared/aws/mail.ts';
import { createSes } from '../../shared/aws/ses.ts';
import { ownVoice } from '../../shared/channels/own.ts';
import { EMAIL } from '../../shared/channels/place.ts';
import type { Voice } from '../../shared/channels/voice.ts';
import { SEND_FILES } from '../../shared/contract/sent-files.ts';
import { emailVoice } from '../../shared/email/voice.ts';
import { log } from '../../shared/logger.ts';
import { envRecord, readEnv } from '../middleware/environment.ts';
import type { outboundPorts } from './edge.ts';

type Outbound = ReturnType<typeof outboundPorts>;

/** The voices of everything that the definition calls a channel, by name: e-mail, and its own. Loaded by the first delivery to one. */
export function voicesOf({ io, dynamo }: Outbound): (name: string) => Voice | undefined {
  const { channels: own, email, agents } = definition;
  const defaults = Object.entries(definition.settings).map(([name, setting]) => [name, setting.default]);
  const settings = { ...Object.fromEntries(defaults), ...envRecord('SETTINGS') };
  const config = createConfig({ settings, secretIds: envRecord('SECRETS'), secrets: io.secrets });
  const tools = { secret: config.secret, setting: (name: string) => config.setting(name) ?? '' };
  const mail = (): Voice | undefined =>
    email &&
    emailVoice({
      ...{ config: email, agents },
      givesFiles: (agent) =>
        agents.some(({ name, tools }) => name === agent && tools.some((tool) => tool.name === SEND_FILES)),
      onRefused: (facts) => log('warn', 'a mail was not sent: SES refuses it', facts),
      store: createMailStore(dynamo, io.clock),
      send: createSes({ identity: clients.dynamo().config, url: readEnv('SES_URL').SES_URL }),
    });
  return (name) => {
    if (name === EMAIL) return mail();
    const found = Object.hasOwn(own, name) ? own[name] : undefined;
    return found && ownVoice(found, tools);
  };
}

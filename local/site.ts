/** A deployment on this machine: the code that `npm start` and `steploop dev` share. */

import { dirname } from 'node:path';
import { env } from '../shared/contract/env.ts';
import { type Deployed, outputOf, outputsOf } from './deployed.ts';
import { keepReach } from './reach.ts';
import { reviveSessions } from './revive.ts';
import { apiTokenOf, putSecrets } from './secrets.ts';
import type { Ports } from './stack/options.ts';
import { type RunningStack, startStack } from './stack/stack.ts';
import { telemetryIn } from './telemetry.ts';

export interface SiteOptions {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  /** The stack in it. */
  readonly stack: string | undefined;
  /** The construct in the stack. */
  readonly deployed: Deployed;
  /** Folder of the stack's state, inside the folder of all state; undefined: in memory. */
  readonly data: string | undefined;
  /** Port of the HTTP API; the others listen on the next two. 0: any free ones. */
  readonly port: number;
  /** Ports of an earlier start. */
  readonly ports?: Ports;
  /** Values of settings and secrets, by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Base URLs of model servers, by name, if they override the definition's. */
  readonly modelUrls: Readonly<Record<string, string>>;
  /** The Slack of its app: base URL of the Web API, and the app's client id; undefined for Slack itself. */
  readonly slack?: { readonly apiUrl: string; readonly clientId: string };
  /** Base URL of the emulated SES, for a definition with e-mail. */
  readonly sesUrl?: string;
  /** Receives the output of the functions and the stack, line by line. */
  readonly log: (line: string) => void;
}

export interface Site {
  readonly deployed: Deployed;
  readonly stack: RunningStack;
  readonly addresses: Addresses;
  /** Bearer token of the HTTP API. */
  readonly apiToken: string;
  /** Sessions that had work when it started. */
  readonly unfinished: readonly string[];
}

export interface Addresses {
  readonly HttpUrl: string;
  readonly SocketUrl: string;
  readonly AguiUrl?: string;
  readonly ChatUrl?: string;
  /** The emulated mailbox: POST puts a mail in, GET lists those that were sent. */
  readonly MailUrl?: string;
}

/** Starts it. Interrupted runs continue as soon as it is up, with the values of this start. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { deployed, assembly, stack: name, data, port, ports, secrets, log } = options;
  let unfinished: string[] = [];
  const stack = await startStack({
    assembly,
    data,
    port,
    ...(name !== undefined && { stack: name }),
    ...(ports && { ports }),
    variables: variablesOf(options),
    log,
    async beforeWork(made) {
      await putSecrets(deployed, made, secrets);
      unfinished = await reviveSessions(made.endpoints.dynamodb, outputOf(deployed, made, 'TableName'));
    },
  });
  const { AguiUrl, ChatUrl } = outputsOf(deployed, stack);
  const apiToken = await apiTokenOf(deployed, stack);
  const httpUrl = outputOf(deployed, stack, 'HttpUrl');
  if (data !== undefined) keepReach(dirname(data), { httpUrl, token: apiToken });
  return {
    deployed,
    stack,
    addresses: {
      HttpUrl: httpUrl,
      SocketUrl: outputOf(deployed, stack, 'SocketUrl'),
      ...(AguiUrl && { AguiUrl }),
      ...(ChatUrl && { ChatUrl }),
      ...(options.sesUrl && { MailUrl: `${options.sesUrl}/mails` }),
    },
    apiToken,
    unfinished,
  };
}

/** Variables that differ from the template on this machine, limited to those that functions have. */
function variablesOf({ deployed: { facts }, settings, modelUrls, slack, sesUrl }: SiteOptions) {
  return {
    [env.SETTINGS]: over(settings),
    [env.MODEL_URLS]: over(modelUrls),
    [env.FETCH_LOOPBACK]: 'allow',
    [env.TELEMETRY]: JSON.stringify(telemetryIn(process.env)),
    ...(slack && { [env.SLACK_API_URL]: slack.apiUrl, [env.SLACK_CLIENT_ID]: slack.clientId }),
    ...(sesUrl && { [env.SES_URL]: sesUrl }),
    ...(facts.callbacks && { [env.CALLBACK_LOOPBACK]: 'allow' }),
  };
}

/** Merges these entries into a JSON object. */
const over = (entries: Readonly<Record<string, string>>) => (current: string) =>
  JSON.stringify({ ...(JSON.parse(current || '{}') as object), ...entries });

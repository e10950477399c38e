/** Everything that an `npm start` starts: model, GitHub, stack, webhook, client. */

import { join } from 'node:path';
import { env } from '../shared/contract/env.ts';
import { type Client, connect } from '../web/client/connect.ts';
import type { Closing } from './closing.ts';
import { deployedIn, outputOf } from './deployed.ts';
import { type EmulatedGithub, startGithub } from './github/emulated.ts';
import type { Log } from './log.ts';
import { chooseModel } from './model/choose.ts';
import type { StartOptions } from './options.ts';
import { reviveSessions } from './revive.ts';
import { timed } from './say.ts';
import { exchangeSecrets } from './secrets.ts';
import { startStack } from './stack/stack.ts';
import { synthesize } from './synthesize.ts';

export interface Site {
  readonly outputs: Readonly<{ HttpUrl: string; SocketUrl: string }>;
  readonly apiToken: string;
  readonly github: EmulatedGithub;
  readonly hook: Awaited<ReturnType<EmulatedGithub['hook']>>;
  readonly client: Client;
  /** Sessions that had something to do when it started. */
  readonly unfinished: readonly string[];
}

/**
 * The stack comes last of the servers: it goes on with what was cut off as soon as it is there, and that needs
 * the model and GitHub.
 */
export async function openSite(options: StartOptions, log: Log, closing: Closing): Promise<Site> {
  const within = (name: string) => (options.data === undefined ? undefined : join(options.data, name));

  const [assembly, model, github] = await Promise.all([
    timed(
      'template',
      () => synthesize(options.definition, closing),
      () => 'synthesized, the one that deploys',
    ),
    timed(
      'model',
      () => chooseModel(process.env).then((made) => closed(closing, 'the model', made, made.stop)),
      ({ what }) => what,
    ),
    timed(
      'GitHub',
      () => startGithub(within('github.json')).then((made) => closed(closing, 'GitHub', made, made.stop)),
      ({ url, repo }) => `emulated at ${url}, with the repository ${repo}`,
    ),
  ]);

  const deployed = deployedIn(assembly);
  let unfinished: string[] = [];
  const stack = await timed(
    'stack',
    async () => {
      const started = await startStack({
        assembly,
        data: within('stack'),
        port: options.port,
        variables: {
          [env.SETTINGS]: JSON.stringify(declared(deployed.facts.settings, { GITHUB_API_URL: github.url })),
          [env.MODEL_URLS]: JSON.stringify(declared(deployed.facts.models, model.urls)),
          ...(deployed.facts.callbacks && { [env.CALLBACK_LOOPBACK]: 'allow' }),
          [env.FETCH_LOOPBACK]: 'allow',
        },
        log: log.write,
        async beforeWork(made) {
          const table = outputOf(deployed, made, 'TableName');
          unfinished = await reviveSessions(made.endpoints.dynamodb, table);
        },
      });
      return closed(closing, 'the stack', started, started.stop);
    },
    (made) => `${outputOf(deployed, made, 'HttpUrl')} and ${outputOf(deployed, made, 'SocketUrl')}`,
  );
  const outputs = {
    HttpUrl: outputOf(deployed, stack, 'HttpUrl'),
    SocketUrl: outputOf(deployed, stack, 'SocketUrl'),
  };
  const keys = await exchangeSecrets(deployed, stack, {
    OPENAI_API_KEY: process.env.OPENAI_API_KEY,
    ...(deployed.facts.models.primary?.secret && { [deployed.facts.models.primary.secret]: model.key }),
    GITHUB_TOKEN: github.agentToken,
  });
  // Where nobody takes its events, they are answered as such.
  const hook = await github.hook(
    `${outputs.HttpUrl}/hooks/github`,
    keys.webhookSecret ?? 'nobody verifies this',
  );
  const client = connect({ httpUrl: outputs.HttpUrl, socketUrl: outputs.SocketUrl, token: keys.apiToken });
  closing.add('the client', client.close);
  return { outputs, apiToken: keys.apiToken, github, hook, client, unfinished };
}

/** Those of the values whose names the definition declares: another definition may know neither GitHub nor our server. */
const declared = <T>(names: object, values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)));

function closed<T>(closing: Closing, what: string, made: T, stop: () => unknown): T {
  closing.add(what, stop);
  return made;
}

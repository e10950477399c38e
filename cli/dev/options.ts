/** The command line of `steploop dev`. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defined } from '../../shared/agent/plain/defined.ts';

export const help = `steploop dev [options]

Runs your app on this machine, from the template that deploys, and applies your edits while it runs.

  --set NAME=VALUE     Value of a setting, overriding .env. Repeat it for each setting.
  --secret NAME=VALUE  Value of a secret, overriding .env. Repeat it for each secret.
  --definition FILE    Run only this definition, not the app of cdk.json
  --slack-socket       Connect a real Slack workspace, without a public address: Socket Mode, with the values of
                       SLACK_APP_TOKEN and SLACK_BOT_TOKEN (docs/slack.md)
  --stack NAME         The stack to run, if the app has several
  --port N             Port of the HTTP API; the WebSocket API and AG-UI listen on the next two. Default: any free ports
  --data DIR           Keep the state in DIR. Default: .data
  --ephemeral          Keep no state.
  --once [MESSAGE]     Send one message to the first agent, with a scripted model, show the run, and exit: with 0 if
                       it completed. Keeps no state, unless --data is given.
  --help               Show this.

Values of settings and secrets come from these options, else from the environment, else from .env. A scripted model replaces
a model server whose secret has no value.`;

export interface DevOptions {
  readonly set: readonly string[];
  readonly secret: readonly string[];
  /** Undefined: the definition in the app of cdk.json. */
  readonly definition?: string;
  readonly stack?: string;
  /** Whether to connect to a real workspace, over Socket Mode. */
  readonly slackSocket: boolean;
  /** 0: any free port. */
  readonly port: number;
  /** Folder of the state; undefined to keep none. */
  readonly data?: string;
  /** The message of `--once`; undefined to stay up. */
  readonly once?: string;
}

export type Parsed =
  | { readonly kind: 'start'; readonly options: DevOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export function parseOptions(args: readonly string[]): Parsed {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        set: { type: 'string', multiple: true, default: [] },
        secret: { type: 'string', multiple: true, default: [] },
        definition: { type: 'string' },
        'slack-socket': { type: 'boolean', default: false },
        stack: { type: 'string' },
        port: { type: 'string', default: '0' },
        data: { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        once: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const { set, secret, definition, stack, once } = values;
    if (positionals.length > 0 && !once)
      return wrong(`${positionals[0]} is not an option; send a message with --once`);
    if (values.ephemeral && values.data !== undefined)
      return wrong('--ephemeral keeps no state, so it cannot be combined with --data');
    const slackSocket = values['slack-socket'];
    if (slackSocket && once)
      return wrong('--once ends after a run, so it cannot be combined with --slack-socket');
    const port = Number(values.port);
    // The WebSocket API and the function URL of AG-UI use the next two ports.
    if (!/^\d+$/.test(values.port) || port > 65_533)
      return wrong(`--port must be a number from 0 to 65533, not ${values.port}`);
    const data = values.data ?? (values.ephemeral || once ? undefined : '.data');
    return {
      kind: 'start',
      options: {
        ...{ set, secret, slackSocket, port },
        ...(definition !== undefined && { definition: resolve(definition) }),
        ...defined({ stack }),
        ...(data !== undefined && { data: resolve(data) }),
        ...(once && { once: positionals.join(' ') || 'Hello' }),
      },
    };
  } catch (error) {
    // The parseArgs message for an unknown option continues with advice about `--`; the first sentence is enough.
    const [message = ''] = String((error as Error).message).split('. ');
    return wrong(message);
  }
}

const wrong = (message: string): Parsed => ({ kind: 'wrong', message });

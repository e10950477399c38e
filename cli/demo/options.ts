/** The command line of `npm start`. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const help = `npm start -- [options]

Runs Steploop on this machine, from the template that deploys: opens an issue on an emulated GitHub, and shows
live how the agent triages it. With a definition that takes no webhooks of GitHub, it suggests what to try.

  --once             End after the run: 0 if it completed. The last line of the output is a summary in JSON. If no
                     webhook takes the issue, it sends a first message to the first agent.
  --definition FILE  Run this definition. Default: steploop.config.ts
  --slack            Also start an emulated Slack, with a page to talk to the agent, answer its requests and stop it.
  --slack-socket     Connect a real Slack workspace, without a public address: Socket Mode, with SLACK_APP_TOKEN and
                     SLACK_BOT_TOKEN of the environment (docs/slack.md).
  --port N           Port of the HTTP API; the WebSocket API and AG-UI listen on the next two. Default: any free ports
  --data DIR         Keep the state in DIR. Default: .data
  --ephemeral        Keep no state.
  --help             Show this.

A few rules replace the model, unless ANTHROPIC_API_KEY is set (and ANTHROPIC_BASE_URL, for another server of its API).`;

export interface StartOptions {
  readonly once: boolean;
  /** Whether to start an emulated Slack as well. */
  readonly slack: boolean;
  /** Whether to connect to a real workspace, over Socket Mode. */
  readonly slackSocket: boolean;
  /** Path of the definition; undefined for the project's own. */
  readonly definition?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Folder of the state; undefined to keep none. */
  readonly data?: string;
}

export type Parsed =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export function parseOptions(args: readonly string[]): Parsed {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        slack: { type: 'boolean', default: false },
        'slack-socket': { type: 'boolean', default: false },
        agents: { type: 'string' },
        definition: { type: 'string' },
        port: { type: 'string', default: '0' },
        data: { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.agents !== undefined)
      return {
        kind: 'wrong',
        message: '--agents was removed: name a definition with --definition FILE (docs/extending.md)',
      };
    if (values.ephemeral && values.data !== undefined)
      return { kind: 'wrong', message: '--ephemeral keeps no state, so it cannot be combined with --data' };
    if (values.slack && values.once)
      return {
        kind: 'wrong',
        message: '--once ends after a run, so it cannot be combined with --slack',
      };
    const slackSocket = values['slack-socket'];
    if (slackSocket && values.once)
      return {
        kind: 'wrong',
        message: '--once ends after a run, so it cannot be combined with --slack-socket',
      };
    if (slackSocket && values.slack)
      return {
        kind: 'wrong',
        message: '--slack is an emulated Slack and --slack-socket a real one: choose one',
      };
    const port = Number(values.port);
    // The WebSocket API and the function URL of AG-UI use the next two ports.
    if (!/^\d+$/.test(values.port) || port > 65_533)
      return { kind: 'wrong', message: `--port must be a number from 0 to 65533, not ${values.port}` };
    return {
      kind: 'start',
      options: {
        once: values.once,
        slack: values.slack,
        slackSocket,
        port,
        ...(values.definition !== undefined && { definition: resolve(values.definition) }),
        ...(!values.ephemeral && { data: resolve(values.data ?? '.data') }),
      },
    };
  } catch (error) {
    // The parseArgs message for an unknown option continues with advice about `--`; the first sentence is enough.
    const [message = ''] = String((error as Error).message).split('. ');
    return { kind: 'wrong', message };
  }
}

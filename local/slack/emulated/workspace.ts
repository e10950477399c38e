/** `emulate`'s Slack with one workspace, three people and the app. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from 'emulate';
import { callerOf, type SlackCaller } from './caller.ts';

export const signingSecret = 'emulated-signing-secret';
export const clientId = '1234.5678';
export const clientSecret = 'emulated-client-secret';
export const botUser = 'U0STEPLOOP';
const people = ['ada', 'jonas', 'mira'] as const;
/** The workspace of another organisation. */
export const PARTNER = 'T0PARTNER';
const tokenOf = (user: string) => `xoxp-emulated-${user}`;

export interface Workspace {
  /** Base URL of the emulator, behind the front door. */
  readonly url: string;
  readonly team: string;
  /** Ids by name. */
  readonly users: Readonly<Record<string, string>>;
  readonly channel: string;
  /** The workspace of a person, by id. */
  teamOf(user: string | undefined): string;
  /** Calls in the name of a person. */
  as(user: string): SlackCaller;
  stop(): Promise<void>;
}

/**
 * @param doorUrl base URL of the front door: links to files lead through it
 * @param shared whether the channel is shared with another organisation, to which `mira` belongs
 */
export async function startWorkspace(doorUrl: string, shared: boolean): Promise<Workspace> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const emulator = await createEmulator({
    service: 'slack',
    port,
    hostname: '127.0.0.1',
    baseUrl: doorUrl,
    seed: {
      slack: {
        team: { name: 'Tidepool', domain: 'tidepool' },
        users: people.map((name) => ({ name, real_name: name })),
        channels: [{ name: 'help', topic: 'Ask anything' }],
        signing_secret: signingSecret,
        tokens: people.map((user) => ({ token: tokenOf(user), type: 'user', user })),
        oauth_apps: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            app_id: 'A0STEPLOOP',
            name: 'Steploop',
            redirect_uris: ['http://127.0.0.1/slack/oauth/callback'],
            bot_id: 'B0STEPLOOP',
            bot_user_id: botUser,
            bot_name: 'steploop',
          },
        ],
      },
    },
  });
  const as = (user: string): SlackCaller => callerOf(url, `Bearer ${tokenOf(user)}`);
  const ada = as('ada');
  const { members } = await ada.call<{ members: { id: string; name: string }[] }>('users.list');
  const users = Object.fromEntries(members.map(({ name, id }) => [name, id]));
  const { channels } = await ada.call<{ channels: { id: string; name: string }[] }>('conversations.list');
  const channel = channels.find(({ name }) => name === 'help')?.id ?? '';
  const { team_id: team } = await ada.call<{ team_id: string }>('auth.test');
  return {
    ...{ url, team, users, channel, as },
    teamOf: (user) => (shared && user === users.mira ? PARTNER : team),
    stop: () => emulator.close(),
  };
}

/** A port that was free a moment ago: the emulator does not report its port if its links lead elsewhere. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

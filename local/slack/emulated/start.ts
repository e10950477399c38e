/**
 * An emulated Slack: `emulate`'s workspace behind a front door of our own. The door forwards calls of the Web API, adds features
 * that the emulator lacks (streams, clicks, slash commands), and sends the app the signed events that Slack would send, in the
 * shapes that Slack documents. (The emulator signs events too, but has no public way to set their target.)
 */

import { actingIn } from './acting.ts';
import { callerOf } from './caller.ts';
import { openDoor } from './door.ts';
import type { EmulatedSlack, SlackOptions } from './emulated-slack.ts';
import { eventsOf } from './events.ts';
import { nothingShown } from './shown.ts';
import { botUser, clientId, clientSecret, signingSecret, startWorkspace } from './workspace.ts';
import { writingIn } from './writing.ts';

export async function startSlack({
  streams = true,
  shared = false,
}: SlackOptions = {}): Promise<EmulatedSlack> {
  const shown = nothingShown();
  const door = await openDoor(shown, streams);
  const workspace = await startWorkspace(door.url, shared);
  door.open(workspace);
  const events = eventsOf(workspace, shown);
  const { url, team, users, channel } = workspace;
  return {
    apiUrl: `${door.url}/api/`,
    ...{ team, botUser, signingSecret, clientId, clientSecret, users, channel },
    connect: events.connect,
    ...writingIn(workspace, events),
    ...actingIn(workspace, events, shown),
    home: (user) => shown.homes.get(users[user] ?? ''),
    pane: (thread) => shown.panes.get(thread) ?? {},
    modal: shown.modals.of,
    dismiss: (user) => shown.modals.show(user, undefined),
    whispers: () => shown.whispered,
    again({ events: sent }) {
      const headers = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
      return Promise.all(sent.map((event) => events.sendEvent(event, headers)));
    },
    limit: (method, times, seconds) => void shown.limits.set(method, { times, seconds }),
    refuse: (method, times, error) => void shown.refusals.set(method, { times, error }),
    grant(scopes) {
      shown.scopes = scopes;
    },
    async remove(where, ts) {
      shown.removed.add(ts);
      shown.streaming.delete(ts);
      await callerOf(url, shown.appAuthorization).call('chat.delete', { channel: where, ts });
    },
    async stop() {
      await door.stop();
      await workspace.stop();
    },
  };
}

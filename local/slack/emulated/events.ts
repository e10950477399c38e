/** The signed requests that Slack sends to the app, in the shapes that Slack documents. */

import { createHmac, randomUUID } from 'node:crypto';
import type { SlackElement, SlackMessage } from './caller.ts';
import type { SentMessage } from './emulated-slack.ts';
import { menusOf } from './menus.ts';
import type { Shown } from './shown.ts';
import { asItIsNow } from './threads.ts';
import { botUser, PARTNER, signingSecret, type Workspace } from './workspace.ts';

export type Events = ReturnType<typeof eventsOf>;

export function eventsOf({ team, users, teamOf, as }: Workspace, { threadsOfReplies, modals }: Shown) {
  let app = '';
  const send = async (path: string, body: string, type: string, headers: Record<string, string> = {}) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    const response = await fetch(app + path, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signature,
        ...headers,
      },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const sendEvent = async (event: object, headers?: Record<string, string>) =>
    (await send('/slack/events', JSON.stringify(event), 'application/json', headers)).status;
  const envelope = (event: object) => ({
    token: 'deprecated',
    team_id: team,
    api_app_id: 'A0STEPLOOP',
    event,
    type: 'event_callback',
    event_id: `Ev${randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()}`,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [{ enterprise_id: null, team_id: team, user_id: botUser, is_bot: true }],
    is_ext_shared_channel: teamOf(users.mira) !== team,
  });

  /** Sends Slack's events about a message. A mention causes two events. */
  async function announce(written: SlackMessage, where: string): Promise<SentMessage> {
    const direct = where.startsWith('D');
    const message = written.thread_ts ? await asItIsNow(written, where, as('ada')) : written;
    if (written.thread_ts) threadsOfReplies.set(written.ts, written.thread_ts);
    const theirs =
      teamOf(message.user) === team ? { team } : { team, user_team: PARTNER, source_team: PARTNER };
    const about = { ...message, ...theirs, channel: where, event_ts: message.ts };
    const events = [
      ...(message.text.includes(`<@${botUser}>`) && !direct
        ? [envelope({ ...about, type: 'app_mention' })]
        : []),
      envelope({ ...about, type: 'message', channel_type: direct ? 'im' : 'channel' }),
    ];
    const statuses: number[] = [];
    for (const event of events) statuses.push(await sendEvent(event));
    return { channel: where, ts: message.ts, events, statuses };
  }

  /** Sends the payload of a click or of a shortcut. */
  const interact = async (payload: object): Promise<number> => (await submit(payload)).status;

  /** Sends the payload of an interaction whose answer Slack reads. */
  function submit(payload: object) {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return send('/slack/interactions', body, 'application/x-www-form-urlencoded');
  }

  /** Reports a click (docs.slack.dev, "block_actions"). */
  function pressed(
    user: string,
    message: SlackMessage,
    where: string,
    button: SlackElement,
    chosen: readonly string[] = [],
  ): Promise<number> {
    const payload = {
      type: 'block_actions',
      user: { id: users[user], username: user, team_id: teamOf(users[user]) },
      api_app_id: 'A0STEPLOOP',
      container: { type: 'message', message_ts: message.ts, channel_id: where, is_ephemeral: false },
      trigger_id: modals.trigger(user),
      team: { id: team, domain: 'tidepool' },
      channel: { id: where, name: 'help' },
      message,
      state: { values: menusOf(message.blocks ?? [], chosen) },
      actions: [{ ...button, block_id: 'b1', action_ts: (Date.now() / 1000).toFixed(6) }],
    };
    return interact(payload);
  }

  return {
    /** Where events go from now on: `http://…` without a path. */
    connect(appUrl: string): void {
      app = appUrl;
    },
    ...{ send, sendEvent, envelope, announce, interact, submit, pressed },
  };
}

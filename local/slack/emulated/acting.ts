/** People click, react, command, and use what the app shows outside of messages. */

import { randomUUID } from 'node:crypto';
import { callerOf } from './caller.ts';
import type { EmulatedSlack, FormAnswer } from './emulated-slack.ts';
import type { Events } from './events.ts';
import { stateOf } from './modals.ts';
import type { Shown } from './shown.ts';
import { asItIsNow } from './threads.ts';
import type { Workspace } from './workspace.ts';

type Acts =
  | 'consent'
  | 'click'
  | 'rate'
  | 'submit'
  | 'command'
  | 'react'
  | 'shortcut'
  | 'uninstall'
  | 'openHome'
  | 'openPane';

export function actingIn(
  { url, team, users, channel, teamOf, as }: Workspace,
  { send, sendEvent, envelope, interact, submit, pressed }: Events,
  shown: Shown,
): Pick<EmulatedSlack, Acts> {
  const ada = as('ada');
  return {
    async consent(installUrl, user) {
      const begun = await fetch(installUrl, { redirect: 'manual' });
      const asked = new URL(begun.headers.get('location') ?? 'about:blank');
      const form = new URLSearchParams({
        ...Object.fromEntries(asked.searchParams),
        user_id: users[user] ?? '',
      });
      const agreed = await fetch(`${url}/oauth/v2/authorize/callback`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
      });
      const cookie = begun.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      const back = await fetch(agreed.headers.get('location') ?? '', {
        headers: { cookie },
        redirect: 'manual',
      });
      return { status: back.status, text: await back.text() };
    },
    async click(user, seen, where, actionId, chosen = []) {
      const message = await asItIsNow(seen, where, ada);
      const buttons = (message.blocks ?? []).flatMap(({ elements = [], accessory }) => [
        ...elements,
        ...(accessory ? [accessory] : []),
      ]);
      const button = buttons.find(({ action_id }) => action_id === actionId);
      if (!button) throw new Error(`the message has no button ${actionId}`);
      return pressed(user, message, where, button, chosen);
    },
    async rate(user, seen, where, rating) {
      const message = await asItIsNow(seen, where, ada);
      const elements = (message.blocks ?? []).flatMap((block) => block.elements ?? []);
      const buttons = elements.find(({ type }) => type === 'feedback_buttons');
      const button = buttons?.[`${rating}_button`];
      if (!buttons || !button) throw new Error('the message has no buttons to rate it');
      const { type, action_id } = buttons;
      return pressed(user, message, where, { type, ...(action_id && { action_id }), ...button });
    },
    async submit(user, entered, over = {}) {
      const modal = shown.modals.of(user);
      if (!modal?.submit) throw new Error(`${user} sees no form`);
      const payload = {
        type: 'view_submission',
        team: { id: team, domain: 'tidepool' },
        user: { id: users[user], name: user, team_id: teamOf(users[user]) },
        api_app_id: 'A0STEPLOOP',
        trigger_id: randomUUID(),
        view: { id: 'V0FORM', type: 'modal', ...modal, state: { values: stateOf(modal, entered) } },
        response_urls: [],
        is_enterprise_install: false,
        enterprise: null,
        ...over,
      };
      const { status, text } = await submit(payload);
      if (status !== 200) return { status };
      const answer = (text === '' ? {} : JSON.parse(text)) as FormAnswer;
      if (text === '') shown.modals.show(user, undefined);
      if (answer.response_action === 'update') shown.modals.show(user, answer.view);
      return { status, ...answer };
    },
    command(user, text) {
      const body = new URLSearchParams({
        token: 'deprecated',
        team_id: team,
        team_domain: 'tidepool',
        channel_id: channel,
        channel_name: 'help',
        user_id: users[user] ?? '',
        user_name: user,
        command: '/steploop',
        text,
        api_app_id: 'A0STEPLOOP',
        is_enterprise_install: 'false',
        response_url: 'https://hooks.slack.com/commands/1234/5678',
        trigger_id: randomUUID(),
      }).toString();
      return send('/slack/commands', body, 'application/x-www-form-urlencoded');
    },
    react: (user, { ts, user: item_user }, where, reaction) =>
      // The thread of a reply is not named (slackapi/bolt-js#1341).
      sendEvent(
        envelope({
          type: 'reaction_added',
          ...{ user: users[user], reaction, item_user },
          item: { type: 'message', channel: where, ts },
          event_ts: (Date.now() / 1000).toFixed(6),
        }),
      ),
    async shortcut(user, seen, where, callback_id) {
      const message = await asItIsNow(seen, where, ada);
      const payload = {
        type: 'message_action',
        callback_id,
        trigger_id: randomUUID(),
        user: { id: users[user], name: user, team_id: teamOf(users[user]) },
        team: { id: team, domain: 'tidepool' },
        channel: { id: where, name: 'help' },
        message_ts: message.ts,
        message: { type: 'message', ...message },
        response_url: 'https://hooks.slack.com/app/1234/5678',
        action_ts: (Date.now() / 1000).toFixed(6),
        is_enterprise_install: false,
        enterprise: null,
      };
      return interact(payload);
    },
    // A moment after the installation, because Slack's times are whole seconds.
    uninstall: () =>
      sendEvent({ ...envelope({ type: 'app_uninstalled' }), event_time: Math.ceil(Date.now() / 1000) }),
    openHome: (user) =>
      sendEvent(
        envelope({
          type: 'app_home_opened',
          user: users[user],
          channel: 'D0HOME',
          tab: 'home',
          event_ts: '1.1',
        }),
      ),
    async openPane(user) {
      const ours = callerOf(url, shown.appAuthorization);
      const opened = await ours.call<{ channel: { id: string } }>('conversations.open', {
        users: users[user] ?? '',
      });
      const { id } = opened.channel;
      const root = await ours.call<{ ts: string }>('chat.postMessage', {
        channel: id,
        text: 'New conversation',
      });
      shown.panes.set(root.ts, {});
      const assistant_thread = {
        user_id: users[user],
        context: { channel_id: channel, team_id: team, enterprise_id: null },
        channel_id: id,
        thread_ts: root.ts,
      };
      const event = { type: 'assistant_thread_started', assistant_thread, event_ts: root.ts };
      return { channel: id, thread: root.ts, status: await sendEvent(envelope(event)) };
    },
  };
}

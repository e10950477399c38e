import { describe, expect, test, vi } from 'vitest';
import { slackManifest } from '../../../local/slack/manifest.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TS, BOT, USER, CHANNEL } = recorded;

/** A reply in the thread of `appMention`, as `message.channels` reports it. */
const reply = (text: string, over: object = {}) => ({
  ...recorded.directMessage(),
  channel: CHANNEL,
  channel_type: 'channel',
  text,
  ts: '1515449601.000001',
  thread_ts: TS,
  parent_user_id: USER,
  ...over,
});
const app = (replies?: () => boolean) =>
  slackApp({ config: { agentFor: () => 'helper', ...(replies && { replies }) } });
const texts = async (it: Awaited<ReturnType<typeof app>>) => (await it.inboxes())[0]?.texts ?? [];

describe('a reply without a mention', () => {
  test('is read in a thread in which the bot takes part, once, with its edits', async () => {
    const replies = vi.fn(() => true);
    const it = await app(replies);
    await it.event(recorded.appMention());
    for (let n = 0; n < 2; n++) await it.event(reply('and in Celsius?'));
    expect(await texts(it)).toEqual([
      expect.stringContaining('the pearl'),
      `Slack message from <@${USER}>:\n\nand in Celsius?`,
    ]);
    expect(replies).toHaveBeenCalledWith(expect.objectContaining({ kind: 'reply', channel: CHANNEL }));
  });

  test('stops the run if it says stop', async () => {
    const it = await app(() => true);
    await it.event(recorded.appMention());
    const cancel = vi.spyOn(it.world.sessions, 'cancel');
    await it.event(reply('stop'));
    expect(cancel).toHaveBeenCalled();
  });

  test.each([
    ['without the setting', undefined, {}],
    ['where the setting says no', () => false, {}],
    ['in a thread that the bot is not in', () => true, { thread_ts: '1515449000.000001' }],
    ['at the top level', () => true, { thread_ts: undefined }],
    ['that mentions another person', () => true, { text: '<@U0OTHER> what do you think?' }],
    ['of a bot', () => true, { bot_id: 'B1' }],
    ['of ours', () => true, { user: BOT }],
  ])('is not read %s', async (_what, replies, over) => {
    const it = await app(replies);
    await it.event(recorded.appMention());
    await it.event({ ...reply('and in Celsius?'), ...over });
    await it.work();
    expect(await texts(it)).toHaveLength(1);
  });
});

test('a mention that comes as a message of the channel as well is still one message', async () => {
  const it = await app(() => true);
  const mention = recorded.appMention();
  await it.event(mention);
  await it.event({ ...mention, type: 'message', channel_type: 'channel' });
  expect(await texts(it)).toHaveLength(1);
});

test('the manifest asks for messages of channels only if it is told to', () => {
  const plain = { name: 'Tide', org: false, rotation: false };
  const events = (replies: boolean) =>
    slackManifest({ ...plain, replies }).settings.event_subscriptions.bot_events;
  expect(events(false)).not.toContain('message.channels');
  expect(events(true)).toEqual(expect.arrayContaining(['message.channels', 'message.groups', 'app_mention']));
});

import { expect, test } from 'vitest';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { ask, status } from '../../../shared/slack/blocks.ts';
import { buttonValue, readButtonValue } from '../../../shared/slack/button-value.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, DIRECT, CHANNEL, BOT, USER, TS } = recorded;
const ASK = '1355517600.000001';
const keyAt = async (channel: string, thread?: string) => ({
  tenant: 'acme',
  sessionId: await sessionIdFor('slack', placeKeyOf({ team: TEAM, channel, ...(thread && { thread }) })),
});

/** A click on a message of ours in direct messages, as Slack sends it once that message has a reply. */
const onParent = (value: string, over: object = {}) =>
  recorded.blockActions('steploop.approve', value, {
    channel: { id: DIRECT, name: 'directmessage' },
    container: { type: 'message', message_ts: ASK, channel_id: DIRECT, is_ephemeral: false, thread_ts: ASK },
    message: { type: 'message', user: BOT, ts: ASK, thread_ts: ASK, reply_count: 1 },
    ...over,
  });

test.for([
  ['that says so', 'wait1@top'],
  ['of an older version, which says nothing', 'wait1'],
] as const)(
  'a button of the top level %s leads to its session, also if its message has replies',
  async ([, value]) => {
    const it = await slackApp();
    await it.click(onParent(value));
    expect(it.decided).toMatchObject([{ key: await keyAt(DIRECT), id: 'wait1', approved: true }]);
  },
);

test('a button leads to the thread in its value, in the channel and the workspace of the click', async () => {
  const it = await slackApp();
  await it.click(onParent(`wait1@${TS}`));
  await it.click(onParent(`wait1@${TS}`, { channel: { id: CHANNEL, name: 'help' } }));
  expect(it.decided).toMatchObject([{ key: await keyAt(DIRECT, TS) }, { key: await keyAt(CHANNEL, TS) }]);
  expect(it.sent).toEqual([]);
});

test.for([
  ['run-0.1', undefined],
  ['wait', {}],
  ['wait', { thread: TS }],
  ['a@b@1.2', { thread: TS }],
] as const)('the value of a button about %s at %o survives the round trip', ([id, at]) => {
  const value = buttonValue(id, at && { channel: 'D1', ...at });
  expect(readButtonValue(value)).toEqual({ id, ...(at && { at }) });
});

test.for(['', 'x@', 'x@T0OTHER:C1:1.2', 'x@1', '@'])('%j names no thread', (value) => {
  expect(readButtonValue(value)).toEqual({ id: value });
});

test('buttons name the thread of their session', () => {
  const at = { channel: 'C1', thread: TS };
  const story = { runId: 's1-0', said: [], calls: 0, files: [], busy: [], at };
  expect(JSON.stringify(status(story))).toContain(`s1-0@${TS}`);
  const waiting = { id: 'w1', reason: 'approval', message: 'transfer' };
  expect(JSON.stringify(ask(waiting, at)).match(new RegExp(`w1@${TS}`, 'g'))).toHaveLength(2);
  expect(JSON.stringify(ask(waiting, { channel: 'D1' }))).toContain('w1@top');
});

test.for([
  ['a channel', { channel: 'C1', thread: TS }, 'Answer in this thread, and mention me.'],
  ['direct messages', { channel: 'D1' }, 'Answer here, or in the thread of this message.'],
  ['a thread of direct messages', { channel: 'D1', thread: TS }, 'Answer in this thread.'],
] as const)('in %s a question says how to answer', ([, at, hint]) => {
  expect(JSON.stringify(ask({ id: 'w1', reason: 'question', message: 'Which?' }, at))).toContain(hint);
});

test('a reply to a message of ours reaches the session that wrote it', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  const reply = { ts: '1355517700.000001', thread_ts: ASK, parent_user_id: BOT, text: 'Green.' };
  await it.event(recorded.directMessage(reply));
  await it.event(recorded.directMessage(reply));
  expect(await it.inboxes()).toMatchObject([
    {
      place: { team: TEAM, channel: DIRECT },
      texts: [expect.stringContaining('can you hear me'), expect.stringContaining('Green.')],
    },
  ]);
});

test('a reply to the message that a slash command started stays in its thread', async () => {
  const it = await slackApp();
  const { begin } = await import('../../../functions/slack/begin.ts');
  const place = { team: TEAM, channel: DIRECT, thread: ASK };
  const installation = await it.context.store.installation(TEAM);
  if (!installation) throw new Error('not installed');
  const asked = {
    message: { place, user: USER, userTeam: TEAM, external: false, ts: ASK },
    kind: 'command',
    prompt: 'hi',
    title: 'hi',
  } as const;
  await begin(asked, installation, it.context);
  await it.event(
    recorded.directMessage({ ts: '1355517700.000001', thread_ts: ASK, parent_user_id: BOT, text: 'more' }),
  );
  expect(await it.inboxes()).toMatchObject([{ place, texts: ['hi', expect.stringContaining('more')] }]);
});

test('a message with replies still belongs to the top level', async () => {
  const it = await slackApp();
  const ts = '1355517523.000005';
  await it.event(recorded.directMessage({ ts, thread_ts: ts, reply_count: 1 }));
  expect(await it.inboxes()).toMatchObject([{ place: { team: TEAM, channel: DIRECT } }]);
});

import { expect, test, vi } from 'vitest';
import { newRun } from '../../../shared/agent/session/session.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { BOT, USER } = recorded;
const EDITED = { user: USER, ts: '1515449530.000000' };
const SAID = 'Hello hello can you hear me?';
const changed = recorded.changeOf('Hello, world &amp; all!', SAID);
const asMention = (text: string, over: object = {}) =>
  recorded.appMention({ text: `<@${BOT}> ${text}`, edited: EDITED, ...over });

/** As if the run that was started had ended. */
function over({ world }: Awaited<ReturnType<typeof slackApp>>) {
  const { read } = world.sessions;
  world.sessions.read = async (key) => {
    const view = await read(key);
    if (!view) return view;
    const { dueAt: _, ...rest } = view;
    return { ...rest, session: { ...view.session, version: 2, run: { ...newRun, id: 's-0', ended: true } } };
  };
}

test('an edit during the run is sent to the session as an edit, once', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  await it.event(changed);
  await it.event(changed);
  expect(await it.inboxes()).toMatchObject([
    {
      texts: [
        expect.stringContaining(SAID),
        `<@${USER}> has edited a message of theirs in Slack. It reads now:\n\nHello, world & all!`,
      ],
    },
  ]);
});

test('an edit of an external person is sent as theirs', async () => {
  const it = await slackApp();
  const partner = { user_team: recorded.PARTNER };
  const shared = recorded.sharedWith(recorded.PARTNER);
  await it.event(recorded.appMention(partner), shared);
  await it.event(asMention('Drop the table', partner), shared);
  const place = { team: recorded.TEAM, channel: recorded.CHANNEL, thread: recorded.TS };
  const key = { tenant: 'acme', sessionId: await sessionIdFor('slack', placeKeyOf(place)) };
  const view = await it.world.sessions.read(key);
  const texts = (await it.world.inbox.read(key, view?.fence.inbox ?? [])).map(({ text }) => text);
  expect(texts[1]).toBe(
    `<@${USER}>, who is of another organisation, has edited a message of theirs in Slack. It reads now:\n\nDrop the table`,
  );
});

test('a typo that is corrected to "stop" stops the current work, if there is any', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  const corrected = recorded.changeOf('stop', 'sotp');
  const cancel = vi.spyOn(it.world.sessions, 'cancel');
  await it.event(corrected);
  await it.event(corrected);
  expect(cancel).toHaveBeenCalled();
  expect((await it.inboxes())[0]?.texts).toHaveLength(1);
  expect(JSON.stringify(await it.work())).toContain('Stopping: I am not starting the next run.');
  cancel.mockClear();
  over(it);
  await it.event(recorded.changeOf('stop!', 'stop', { edited: { user: USER, ts: '1358878799.000001' } }));
  expect(cancel).not.toHaveBeenCalled();
  expect(await it.work()).toEqual([]);
});

test('each of several edits is sent', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  await it.event(changed);
  await it.event(recorded.changeOf('', 'Hello, world!', { edited: { user: USER, ts: '1358878799.000001' } }));
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts).toHaveLength(3);
  expect(texts[2]).toMatch(/reads now:\n\n\(nothing\)$/);
});

test('a mention that is sent again because of an edit is an edit, also in a thread', async () => {
  const it = await slackApp();
  await it.event(recorded.appMention());
  await it.event(asMention('What is the hour of the diamond?'));
  await it.event(asMention('What is the hour of the diamond?', { thread_ts: recorded.TS, reply_count: 2 }));
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts).toHaveLength(2);
  expect(texts[1]).toContain(
    'has edited a message of theirs in Slack. It reads now:\n\nWhat is the hour of the diamond?',
  );
  expect(it.sent).toEqual([]);
});

test('a message that is edited into a mention is a new one', async () => {
  const it = await slackApp();
  await it.event(asMention('now I mean you'));
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts).toEqual([`Slack message from <@${USER}>:\n\nnow I mean you`]);
});

test.for([
  ['by Slack, for the preview of a link', recorded.changeOf(SAID, SAID, { edited: undefined })],
  ['of an edited message, by Slack', recorded.changeOf('Hello!', 'Hello!')],
  ['without words of a person', recorded.changeOf('a', 'b', { bot_id: 'B1' })],
  ['of our own words', recorded.changeOf('a', 'b', { user: BOT })],
  ['that Slack does not show', { ...recorded.messageChanged, message: { hidden: 'x' } }],
] as const)('an edit %s is ignored', async ([, event]) => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  await it.event(event);
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts).toHaveLength(1);
  expect(it.sent).toEqual([]);
});

test('an edit of a message that no session got starts nothing', async () => {
  const it = await slackApp();
  await it.event(changed);
  await it.event({ ...changed, previous_message: undefined });
  await it.event(asMention('x', { edited: { user: USER, ts: '1715449530.000000' } }));
  expect(it.wakes()).toBe(0);
  expect(it.sent).toEqual([]);
});

test('an edit after the run starts nothing, unless it adds a mention of the bot', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  await it.event(recorded.appMention());
  over(it);
  await it.event(changed);
  await it.event(asMention('other words'));
  expect((await it.inboxes()).map(({ texts }) => texts.length)).toEqual([1, 1]);
  await it.event(recorded.changeOf(`<@${BOT}> hello?`, SAID));
  expect((await it.inboxes()).map(({ texts }) => texts.length).sort()).toEqual([1, 2]);
});

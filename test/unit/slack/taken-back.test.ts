import { expect, test } from 'vitest';
import { Refusal } from '../../../functions/middleware/problem.ts';
import { newRun } from '../../../shared/agent/session/session.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, DIRECT, USER, BOT } = recorded;
const inboxId = `slack-${TEAM}-${DIRECT}-${recorded.messageDeleted.deleted_ts}`;

async function events(it: Awaited<ReturnType<typeof slackApp>>) {
  const key = {
    tenant: 'acme',
    sessionId: await sessionIdFor('slack', placeKeyOf({ team: TEAM, channel: DIRECT })),
  };
  const view = await it.world.sessions.read(key);
  return it.world.inbox.read(key, view?.fence.inbox ?? []);
}

/** As if a run had read everything; it is still going, or over. */
function readBy(it: Awaited<ReturnType<typeof slackApp>>, ended: boolean) {
  const { read } = it.world.sessions;
  it.world.sessions.read = async (key) => {
    const view = await read(key);
    if (!view) return view;
    const { dueAt, ...rest } = view;
    const fence = { ...view.fence, inbox: [] };
    const session = { ...view.session, version: 2, run: { ...newRun, id: 's-0', ended } };
    return { ...rest, ...(!ended && dueAt !== undefined && { dueAt }), fence, session };
  };
  return () => {
    it.world.sessions.read = read;
  };
}

test.each([
  ['a message', recorded.messageDeleted],
  ['a message with replies', recorded.messageTombstone],
])('%s that is deleted before a step has read it is taken back, once', async (_what, deleted) => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  await it.event(deleted);
  await it.event(deleted);
  expect(await events(it)).toMatchObject([{ id: inboxId }, { withdraws: inboxId }]);
});

test('the model is told of the deletion of a message that it has read, while its run is going', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  const back = readBy(it, false);
  await it.event(recorded.messageDeleted);
  back();
  expect((await events(it)).at(-1)).toMatchObject({
    by: `slack:${TEAM}:${USER}`,
    text: `A message of <@${USER}> was deleted in Slack: the one from 2012-12-14T20:38:43.000Z. Do not act on it and do not repeat it.`,
  });
});

test('a deletion after the run begins nothing', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  const back = readBy(it, true);
  await it.event(recorded.messageDeleted);
  back();
  expect(await events(it)).toHaveLength(1);
});

test('a message that Slack repeats after it was deleted reaches no session', async () => {
  const it = await slackApp();
  await it.event(recorded.messageDeleted);
  await it.event(recorded.directMessage());
  expect(await it.inboxes()).toEqual([]);
  expect(it.wakes()).toBe(0);
});

test('a deletion that comes while its message is on its way is sent again by Slack', async () => {
  const it = await slackApp();
  const ts = (it.world.clock.now() / 1_000 - 60).toFixed(6);
  await it.context.store.once(TEAM, `given/slack-${TEAM}-${DIRECT}-${ts}`, 'given');
  await expect(it.event({ ...recorded.messageDeleted, deleted_ts: ts })).rejects.toThrow(Refusal);
});

test.each([
  ['of our own words', { user: BOT }],
  ['of an app', { bot_id: 'B1' }],
  ['without an author', { user: undefined }],
])('a deletion %s is ignored', async (_what, over) => {
  const it = await slackApp();
  await it.event(recorded.directMessage());
  const { previous_message } = recorded.messageDeleted;
  await it.event({ ...recorded.messageDeleted, previous_message: { ...previous_message, ...over } });
  expect(await events(it)).toHaveLength(1);
});

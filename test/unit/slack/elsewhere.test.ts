import { expect, test } from 'vitest';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { slackDestination } from '../../../shared/slack/destination.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, CHANNEL, TS } = recorded;

/** A session of a webhook that is shown in the thread of a channel. */
async function shown(tenant = 'acme') {
  const it = await slackApp();
  const { io, priceOf, store } = it.context;
  const key = { tenant, sessionId: await sessionIdFor('hook', 'k') };
  await openSession(key, agent, priceOf, io, { outbound: true });
  await io.outbound.put(key, slackDestination(TEAM, CHANNEL, 'helper', 'A crash'));
  await accept(key, { eventId: 'e1', text: 'It crashes.', at: 1 }, io);
  await store.linkThread({ team: TEAM, channel: CHANNEL, thread: TS }, key);
  const inbox = async () => {
    const view = await io.sessions.read(key);
    return (await io.inbox.read(key, view?.fence.inbox ?? [])).map(({ text }) => text);
  };
  return { it, key, inbox };
}

test('a mention in the thread that shows a session of a webhook reaches that session', async () => {
  const { it, key, inbox } = await shown();
  await it.event(
    recorded.appMention({ ts: '1515449600.000009', thread_ts: TS, parent_user_id: recorded.BOT }),
  );
  await it.work();
  expect(await inbox()).toEqual(['It crashes.', expect.stringContaining('What is the hour of the pearl')]);
  const ours = await it.context.store.sessionsOf('acme', TEAM, recorded.USER);
  expect(ours.map(({ sessionId }) => sessionId)).toEqual([key.sessionId]);
});

test('a click there decides what that session asks', async () => {
  const { it, key } = await shown();
  await it.click(recorded.blockActions('steploop.approve', `wait1@${TS}`));
  expect(it.decided).toMatchObject([{ key, id: 'wait1', approved: true }]);
});

test('a thread of another tenant leads to a session of the installation alone', async () => {
  const { it, inbox } = await shown('birch');
  await it.event(recorded.appMention({ ts: '1515449600.000009', thread_ts: TS }));
  await it.work();
  expect(await inbox()).toEqual(['It crashes.']);
});

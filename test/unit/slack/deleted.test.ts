import { expect, test } from 'vitest';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { sessionIdFor } from '../../../shared/contract/ids.ts';
import { placeKeyOf } from '../../../shared/slack/place.ts';
import { goneText } from '../../../shared/slack/words.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, CHANNEL, TS } = recorded;

test('a message in a thread of a deleted session gets that answer, and starts one when the tombstone is gone', async () => {
  const it = await slackApp();
  const { io, priceOf } = it.context;
  const place = placeKeyOf({ team: TEAM, channel: CHANNEL, thread: TS });
  const key = { tenant: 'acme', sessionId: await sessionIdFor('slack', place) };
  await openSession(key, agent, priceOf, io);
  await it.world.graves.bury(key, it.world.clock.now());
  await it.event(recorded.appMention());
  expect(JSON.stringify(await it.work())).toContain(goneText);
  expect(it.wakes()).toBe(0);
  for await (const due of it.world.graves.due(it.world.clock.now()))
    for (const grave of due) await it.world.graves.close(grave);
  await it.event(recorded.appMention({ ts: '1515449600.000009', thread_ts: TS }));
  await it.work();
  expect(it.wakes()).toBe(1);
});

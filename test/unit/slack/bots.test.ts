import { describe, expect, test, vi } from 'vitest';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { TEAM, CHANNEL, TS, BOT, USER } = recorded;
const BOTS = { bots: ['B0WORKFLOW', 'A0DEPLOY'] };

/** A mention by Workflow Builder. */
const byWorkflow = (over: object = {}) => {
  const { user: _, ...event } = recorded.appMention({ bot_id: 'B0WORKFLOW', ...over });
  return { ...event, subtype: 'bot_message', username: 'Daily report' };
};
const app = (agentFor = vi.fn(() => 'helper' as string | undefined)) =>
  slackApp({ config: { ...BOTS, agentFor } });
const texts = async (it: Awaited<ReturnType<typeof app>>, user = USER) => {
  const sessions = await it.context.store.sessionsOf('acme', TEAM, user);
  return Promise.all(
    sessions.map(async ({ sessionId }) => {
      const key = { tenant: 'acme', sessionId };
      const view = await it.world.sessions.read(key);
      return (await it.world.inbox.read(key, view?.fence.inbox ?? [])).map(({ text }) => text);
    }),
  );
};

describe('a bot', () => {
  test('on the list begins a session, and the model is told that it is no person', async () => {
    const agentFor = vi.fn(() => 'helper' as string | undefined);
    const it = await app(agentFor);
    await it.event(byWorkflow());
    expect(await texts(it, 'B0WORKFLOW')).toEqual([
      [expect.stringContaining('Slack message from the app B0WORKFLOW, which is no person:')],
    ]);
    expect(agentFor).toHaveBeenCalledWith(expect.objectContaining({ bot: 'B0WORKFLOW', kind: 'mention' }));
  });

  test('is known by its app too', async () => {
    const it = await app();
    await it.event(recorded.appMention({ bot_id: 'B0OTHER', app_id: 'A0DEPLOY', user: 'U0DEPLOY' }));
    expect(await texts(it, 'U0DEPLOY')).toHaveLength(1);
  });

  test.each([
    ['that is not on the list', { bot_id: 'B0OTHER' }],
    ['that is ours', { bot_id: 'B0WORKFLOW', user: BOT }],
    ['that posts as Slackbot', { user: 'USLACKBOT', bot_id: 'B0OTHER' }],
  ])('%s is not answered', async (_what, over) => {
    const it = await app();
    await it.event(recorded.appMention(over));
    expect(it.wakes()).toBe(0);
  });

  test('is answered ten times in a row in a thread, until a person speaks', async () => {
    const it = await app();
    const at = (n: number) => `15154496${String(n).padStart(2, '0')}.000001`;
    const asked = async (n: number, over: object = {}) => {
      const before = (await texts(it, 'B0WORKFLOW')).flat().length;
      await it.event(byWorkflow({ ts: at(n), thread_ts: TS, parent_user_id: BOT, ...over }));
      await it.work();
      return (await texts(it, 'B0WORKFLOW')).flat().length - before;
    };
    for (let n = 0; n < 10; n++) expect(await asked(n)).toBe(1);
    expect([await asked(10), await asked(11)]).toEqual([0, 0]);
    // Slack sends an event of before again: it is no further message.
    expect(await asked(3)).toBe(0);
    await it.event(recorded.appMention({ ts: at(12), thread_ts: TS, text: `<@${BOT}> go on` }));
    await it.work();
    expect(await asked(13)).toBe(1);
  });

  test('is answered thirty times an hour at the top level of a channel', async () => {
    const it = await app();
    for (let n = 0; n < 40; n++) await it.event(byWorkflow({ ts: `1515449${100 + n}.000001` }));
    await it.work();
    expect(await texts(it, 'B0WORKFLOW')).toHaveLength(30);
    await it.world.clock.advance(3_600_000);
    await it.event(byWorkflow({ ts: '1515459000.000001' }));
    expect(await texts(it, 'B0WORKFLOW')).toHaveLength(31);
    expect(CHANNEL).toBeDefined();
  });
});

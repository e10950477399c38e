import { describe, expect, test, vi } from 'vitest';
import { runJob } from '../../../functions/slack/jobs.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { newRun } from '../../../shared/agent/session/session.ts';
import { agent, slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

describe('an uninstallation', () => {
  /** A workspace with so many sessions with messages, and the stop requests when it uninstalls. */
  async function gone(sessions: number) {
    const it = await slackApp();
    for (let n = 0; n < sessions; n++)
      await it.event(recorded.appMention({ ts: `1515449522.${String(n).padStart(6, '0')}` }));
    const cancelled: string[] = [];
    const { cancel } = it.world.sessions;
    vi.spyOn(it.world.sessions, 'cancel').mockImplementation(async (key, now) => {
      cancelled.push(key.sessionId);
      return cancel(key, now);
    });
    return {
      ...it,
      cancelled,
      async uninstall() {
        await runJob({ kind: 'uninstall', team: recorded.TEAM, at: 5_000, tries: 0 }, it.context);
      },
      /** Jobs of `stop`, until no further one follows. */
      async stop() {
        for (let n = 1; it.sent.some(({ kind }) => kind === 'stop'); n++) {
          const [job] = it.sent.splice(0, 1);
          if (job) await runJob(job, it.context);
          if (n > 20) throw new Error('it never ends');
        }
      },
    };
  }

  test('stops the runs of its workspace, however many, and no others', async () => {
    const it = await gone(120);
    const tenant = 'acme';
    const own = await it.context.store.sessionsIn(tenant, recorded.TEAM, '', 1_000);
    const other = { tenant, sessionId: 'of-the-api' };
    await openSession(other, agent, it.context.priceOf, it.context.io);
    await accept(other, { eventId: 'e1', text: 'Go.', by: 'operator' }, it.context.io);
    await it.uninstall();
    expect(it.cancelled).toEqual([]);
    await it.stop();
    expect(it.cancelled.sort()).toEqual(own);
    expect(own).toHaveLength(120);
  });

  test('leaves a run alone that was started over the API, in a session that lives in Slack', async () => {
    const it = await gone(1);
    const [session] = await it.context.store.sessionsOf('acme', recorded.TEAM, recorded.USER);
    const { read } = it.world.sessions;
    const run = { ...newRun, id: `${session?.sessionId}-0`, requesters: ['operator', 'slack:T1:U1'] };
    it.world.sessions.read = async (key) => {
      const view = await read(key);
      return view && { ...view, session: { ...view.session, version: 2, run } };
    };
    await it.uninstall();
    await it.stop();
    expect(it.cancelled).toEqual([]);
  });

  test('stops them also if its job died before it was done', async () => {
    const it = await gone(2);
    vi.spyOn(it.context.store, 'uninstall').mockRejectedValueOnce(new Error('away'));
    await expect(it.uninstall()).rejects.toThrow('away');
    await it.uninstall();
    vi.spyOn(it.world.sessions, 'cancel').mockRejectedValueOnce(new Error('away'));
    const [job] = it.sent;
    if (job) await expect(runJob(job, it.context)).rejects.toThrow('away');
    await it.stop();
    expect(new Set(it.cancelled).size).toBe(2);
  });

  test('stops nothing of a workspace that has installed the app again', async () => {
    const it = await gone(1);
    await it.uninstall();
    const again = { tenant: 'acme', botUser: recorded.BOT, secretId: 'x', installedAt: 6_000 };
    await it.context.store.install({ team: recorded.TEAM, ...again });
    await it.stop();
    expect(it.cancelled).toEqual([]);
  });
});

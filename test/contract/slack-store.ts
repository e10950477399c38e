import { beforeEach, describe, expect, test } from 'vitest';
import type { Installation, SlackStore } from '../../shared/slack/store.ts';
import { minutes, now } from './harness.ts';

/** The contract of `SlackStore`. */
export function slackStoreContract(
  name: string,
  open: (clock: { now(): number }) => Promise<SlackStore>,
): void {
  describe(`${name}: Slack`, () => {
    let store: SlackStore;
    let at: number;
    beforeEach(async () => {
      at = now;
      store = await open({ now: () => at });
    });

    const installation: Installation = {
      team: 'T1',
      tenant: 'acme',
      botUser: 'U0BOT',
      secretId: 'steploop/slack/T1',
      url: 'https://acme.slack.com/',
      installedAt: now,
    };

    test('a workspace belongs to the tenant that installed the app, and to no other', async () => {
      expect(await store.installation('T1')).toBeUndefined();
      expect(await store.install(installation)).toBe('installed');
      expect(await store.installation('T1')).toEqual(installation);
      const again = { ...installation, botUser: 'U1BOT', installedAt: now + 1 };
      expect(await store.install(again)).toBe('installed');
      expect(await store.install({ ...installation, tenant: 'other' })).toBe('taken');
      expect(await store.installation('T1')).toEqual(again);
      expect(await store.install({ ...again, enterprise: 'E1' })).toBe('installed');
      expect(await store.installation('T1')).toEqual({ ...again, enterprise: 'E1' });
      expect(await store.installation('T2')).toBeUndefined();
    });

    test('an organisation’s installation is kept as one, and is not one of its workspaces’', async () => {
      const ofAll = { ...installation, team: 'E1', enterprise: 'E1', orgWide: true };
      expect(await store.install(ofAll)).toBe('installed');
      expect(await store.installation('E1')).toEqual(ofAll);
      expect(await store.installation('T1')).toBeUndefined();
      expect(await store.install({ ...ofAll, tenant: 'other' })).toBe('taken');
    });

    test('one caller has the right to renew a token, until its time is over or the token is replaced', async () => {
      const claim = (team: string, expiresAt: number) => store.claimRenewal(team, expiresAt, at + minutes);
      const asked = await Promise.all([1, 2, 3].map(() => claim('T1', 1_000)));
      expect(asked.filter(Boolean)).toHaveLength(1);
      expect(await claim('T2', 1_000)).toBe(true);
      expect(await claim('T1', 2_000)).toBe(true);
      expect(await claim('T1', 1_000)).toBe(false);
      at += minutes - 1;
      expect(await claim('T1', 2_000)).toBe(false);
      at += 1;
      expect(await claim('T1', 1_000)).toBe(false);
      expect(await claim('T1', 2_000)).toBe(true);
      expect(await store.installation('T1')).toBeUndefined();
    });

    test('an uninstallation forgets what was installed before it, and nothing newer', async () => {
      await store.install(installation);
      expect(await store.uninstall('T1', now)).toBe('kept');
      expect(await store.installation('T1')).toEqual(installation);
      expect(await store.uninstall('T1', now + 1)).toBe('uninstalled');
      expect(await store.installation('T1')).toBeUndefined();
      expect(await store.uninstall('T1', now + 1)).toBe('uninstalled');
      expect(await store.install({ ...installation, tenant: 'other' })).toBe('installed');
    });

    test('a state is valid once, for ten minutes', async () => {
      const [first, second] = [await store.issueState('acme'), await store.issueState('other')];
      expect(await store.redeemState(first)).toBe('acme');
      expect(await store.redeemState(first)).toBeUndefined();
      expect(await store.redeemState('made up')).toBeUndefined();
      at += 10 * minutes;
      expect(await store.redeemState(second)).toBeUndefined();
    });

    test('the sessions of a workspace are listed in order, page by page, whichever users have spoken in them', async () => {
      const note = (sessionId: string, user: string, team = 'T1', tenant = 'acme', whose = team) => {
        const place = { team, channel: 'C1', thread: '1.1' };
        return store.noteSession(tenant, whose, user, { sessionId, place, title: 't', at: now });
      };
      for (const id of ['s3', 's1', 's2']) await note(id, 'U1');
      await note('s2', 'U2');
      await note('s21', 'U2', 'T1', 'acme', 'T0PARTNER');
      await note('s4', 'U1', 'T2');
      await note('s5', 'U1', 'T1', 'other');
      expect(await store.sessionsIn('acme', 'T1', '', 10)).toEqual(['s1', 's2', 's21', 's3']);
      expect(await store.sessionsIn('acme', 'T1', '', 2)).toEqual(['s1', 's2']);
      expect(await store.sessionsIn('acme', 'T1', 's2', 2)).toEqual(['s21', 's3']);
      expect(await store.sessionsIn('acme', 'T1', 's3', 2)).toEqual([]);
    });

    test('whether a channel is shared is what was last recorded for this workspace and channel', async () => {
      expect(await store.isShared('T1', 'C1')).toBeUndefined();
      await store.noteShared('T1', 'C1', true);
      expect(await store.isShared('T1', 'C1')).toBe(true);
      expect(await store.isShared('T2', 'C1')).toBeUndefined();
      expect(await store.isShared('T1', 'C2')).toBeUndefined();
      await store.noteShared('T1', 'C1', false);
      expect(await store.isShared('T1', 'C1')).toBe(false);
      expect(await store.installation('T1')).toBeUndefined();
    });

    test('messages of bots are counted in a row, each once, up to a limit, until a person speaks', async () => {
      const place = { team: 'T1', channel: 'C1', thread: '1.1' };
      const note = (ts: string, by: 'bot' | 'person' = 'bot') => store.noteTurn(place, ts, by, 3);
      expect([await note('2.1'), await note('2.2'), await note('2.2'), await note('2.3')]).toEqual([
        1, 2, 2, 3,
      ]);
      expect([await note('2.4'), await note('2.5'), await note('2.1')]).toEqual([4, 4, 1]);
      expect(await store.noteTurn({ ...place, thread: '1.2' }, '2.6', 'bot', 3)).toBe(1);
      expect(await note('2.7', 'person')).toBe(0);
      expect(await note('2.8')).toBe(1);
    });

    test('a thread that the bot has opened leads to its session, in its workspace and channel', async () => {
      const place = { team: 'T1', channel: 'C1', thread: '1.1' };
      expect(await store.linkedTo(place)).toBeUndefined();
      for (let n = 0; n < 2; n++) await store.linkThread(place, { tenant: 'acme', sessionId: 's1' });
      expect(await store.linkedTo(place)).toEqual({ tenant: 'acme', sessionId: 's1' });
      for (const other of [{ team: 'T2' }, { channel: 'C2' }, { thread: '1.2' }])
        expect(await store.linkedTo({ ...place, ...other })).toBeUndefined();
    });

    test('the first value under a name stands, in its workspace', async () => {
      expect(await store.once('T1', 'say/1.1', 'a')).toEqual({ value: 'a', isNew: true });
      expect(await store.once('T1', 'say/1.1', 'b')).toEqual({ value: 'a', isNew: false });
      expect(await store.once('T1', 'say/1.1', 'a')).toEqual({ value: 'a', isNew: false });
      expect(await store.once('T2', 'say/1.1', 'b')).toEqual({ value: 'b', isNew: true });
      expect(await store.once('T1', 'say/1.2', 'b')).toEqual({ value: 'b', isNew: true });
    });

    test('a user’s sessions are listed, the latest first, under their first words', async () => {
      const place = { team: 'T1', channel: 'C1', thread: '1.1' };
      const note = (sessionId: string, title: string, when: number, user = 'U1', tenant = 'acme') =>
        store.noteSession(tenant, 'T1', user, { sessionId, place, title, at: when });
      await note('s1', 'first', now);
      await note('s2', 'second', now + 1);
      await note('s1', 'more', now + 2);
      await note('s3', 'of another', now, 'U2');
      await note('s4', 'of another tenant', now, 'U1', 'other');
      expect(await store.sessionsOf('acme', 'T1', 'U1')).toEqual([
        { sessionId: 's1', place, title: 'first', at: now + 2 },
        { sessionId: 's2', place, title: 'second', at: now + 1 },
      ]);
      expect(await store.sessionsOf('acme', 'T2', 'U1')).toEqual([]);
    });
  });
}

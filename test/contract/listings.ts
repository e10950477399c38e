import { beforeEach, describe, expect, test } from 'vitest';
import type { Listings } from '../../shared/agent/ports/listings.ts';
import { noTotals } from '../../shared/agent/session/session.ts';
import type { Naming, Standing } from '../../shared/contract/listing.ts';
import type { State } from '../../shared/contract/session.ts';
import type { ListedSessions, ListQuery } from '../../shared/edge/listed.ts';
import { key, now } from './harness.ts';

const running: Standing = {
  ...{ agent: 'triage', state: 'running', steps: 0, totals: noTotals, at: now, order: 1 },
};
const failed: Standing = {
  ...{ agent: 'triage', state: 'error', reason: 'provider_error', steps: 3, message: 'The key was refused.' },
  ...{
    totals: { ...noTotals, costUsd: 0.25 },
    model: 'claude',
    ranMs: 0,
    delegatedUsd: 0.1,
    at: now + 1000,
    order: 4,
  },
};
const naming: Naming = { title: 'Where is it?', source: 'http', user: 'user:ann', metadata: { order: '7' } };

/** The contract of lists in any store. */
export function listingsContract(name: string, open: () => Promise<Listings & ListedSessions>): void {
  describe(`${name}: lists of sessions`, () => {
    let lists: Listings & ListedSessions;
    beforeEach(async () => {
      lists = await open();
    });
    const of = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });
    const idsOf = async (query: Partial<ListQuery> = {}) => {
      const { sessions } = await lists.page('acme', { limit: 50, ...query });
      return sessions.map(({ sessionId }) => sessionId);
    };

    test('a session is listed as it was put, and before that not at all', async () => {
      expect(await lists.read(key)).toBeUndefined();
      expect(await lists.page('acme', { limit: 10 })).toEqual({ sessions: [] });
      await lists.moved(key, running, naming);
      const { order, ...shown } = running;
      const listed = { sessionId: 's1', createdAt: now, ...shown, ...naming };
      expect(await lists.read(key)).toEqual(listed);
      expect(await lists.page('acme', { limit: 10 })).toEqual({ sessions: [listed] });
    });

    test('metadata may have the names that every object has', async () => {
      const metadata = { constructor: 'x', toString: 'y', hasOwnProperty: 'z' } as unknown as Record<
        string,
        string
      >;
      await lists.moved(key, running, { ...naming, metadata });
      expect(await lists.read(key)).toMatchObject({ metadata });
    });

    test('the newest entry stands, in whatever order entries arrive; fields that it lacks are gone', async () => {
      await lists.moved(key, failed);
      await lists.moved(key, running, naming);
      const { order, ...shown } = failed;
      expect(await lists.read(key)).toMatchObject({ ...shown, ...naming });
      expect(await idsOf({ states: ['running'] })).toEqual([]);
      await lists.moved(key, { ...running, order: 5, at: now + 2000 });
      const again = await lists.read(key);
      expect(again).toMatchObject({ state: 'running', title: naming.title, at: now + 2000 });
      expect(again).not.toHaveProperty('reason');
      expect(again).not.toHaveProperty('message');
      expect(again).not.toHaveProperty('ranMs');
      await lists.moved(key, failed);
      expect(await lists.read(key)).toEqual(again);
    });

    test('a session keeps its first title until a user renames it', async () => {
      await lists.moved(key, running, naming);
      await lists.moved(
        key,
        { ...running, order: 3 },
        { ...naming, title: 'Second words', user: 'user:bob' },
      );
      expect(await lists.read(key)).toMatchObject(naming);
      expect(await lists.rename(key, { title: 'Order 7' })).toBe('renamed');
      expect(await lists.read(key)).toMatchObject({ ...naming, title: 'Order 7' });
      expect(await lists.rename(key, { metadata: {} })).toBe('renamed');
      expect(await lists.read(key)).toMatchObject({ title: 'Order 7', metadata: {} });
      expect(await lists.rename(of('nobody'), { title: 'x' })).toBe('unknown');
      expect(await lists.read(of('nobody'))).toBeUndefined();
    });

    test('the most recently moved sessions come first, page after page, each once', async () => {
      const ids = Array.from({ length: 23 }, (_, i) => `s${i}`);
      // Some have the same time, and all states occur.
      const states: State[] = ['running', 'completed', 'error', 'waiting_for_input'];
      for (const [i, id] of ids.entries())
        await lists.moved(of(id), {
          ...running,
          at: now + Math.floor(i / 3),
          state: states[i % 4] ?? 'running',
        });
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await lists.page('acme', { limit: 5, after });
        seen.push(...page.sessions.map(({ sessionId }) => sessionId));
        after = page.next;
      } while (after);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(seen.slice(0, 2).sort()).toEqual(['s21', 's22']);
      expect(await idsOf()).toEqual(seen);
      expect(await idsOf({ states: ['error'] })).toEqual(seen.filter((id) => Number(id.slice(1)) % 4 === 2));
    });

    test.each<[Partial<ListQuery>, string[]]>([
      [{ states: ['error', 'running'] }, ['b', 'a']],
      [{ states: ['completed'] }, []],
      [{ reason: 'provider_error' }, ['b']],
      [{ reason: 'max_steps' }, []],
      [{ agent: 'coder' }, ['b']],
      [{ source: 'slack' }, ['b']],
      [{ user: 'user:ann' }, ['a']],
      [{ words: 'IT where' }, ['a']],
      [{ words: 'nowhere' }, []],
      [{ since: now + 1000 }, ['b']],
      [{ since: now }, ['b', 'a']],
      [{ until: now + 1000 }, ['a']],
      [{ until: now }, []],
      [{ since: now + 1, until: now }, []],
      [{ agent: 'coder', user: 'user:ann' }, []],
    ])('only sessions that match are shown: %o', async (query, ids) => {
      await lists.moved(of('a'), running, naming);
      await lists.moved(
        of('b'),
        { ...failed, agent: 'coder' },
        { title: 'fix', source: 'slack', user: 'slack:T:U' },
      );
      expect(await idsOf(query)).toEqual(ids);
    });

    test('a tenant does not see the sessions of another, whatever their names', async () => {
      await lists.moved(of('a', 'umbrella'), running, naming);
      await lists.moved(of('a', 'acme2'), running, naming);
      expect(await idsOf()).toEqual([]);
      expect(await lists.read(of('a'))).toBeUndefined();
    });
  });
}

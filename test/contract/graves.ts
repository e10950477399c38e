import { beforeEach, describe, expect, test } from 'vitest';
import type { Grave, Graves } from '../../shared/agent/entrypoints/graves.ts';
import type { Ages } from '../../shared/agent/entrypoints/retention.ts';
import { callbackDestination } from '../../shared/agent/outbound/callback.ts';
import type { OutboundStore } from '../../shared/agent/outbound/destination.ts';
import type { LaterAnswers } from '../../shared/agent/ports/callbacks.ts';
import type { Listings } from '../../shared/agent/ports/listings.ts';
import type { Standing } from '../../shared/contract/listing.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { ListedSessions } from '../../shared/edge/listed.ts';
import {
  anEvent,
  aResult,
  aSession,
  aSlot,
  claimAs,
  claimed,
  claimedSession,
  commitOf,
  dueSession,
  frames,
  key,
  leaseMs,
  minutes,
  noise,
  now,
  ofBytes,
  restingSession,
  restOf,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';

/** Stores with everything that a session can have. */
export interface GraveStores extends Stores {
  readonly outbound: OutboundStore;
  readonly later: LaterAnswers;
  readonly listings: Listings;
  readonly listed: ListedSessions;
  readonly graves: Graves;
  readonly ages: Ages;
  /** The places where a session is still named, tombstones aside. */
  left(of: SessionKey): Promise<readonly string[]>;
  /** Whether its tombstone is left. */
  hasTombstone(of: SessionKey): Promise<boolean>;
}

const totals = aSession().totals;
const standing = (order: number, over: Partial<Standing> = {}): Standing => ({
  ...{ agent: 'triage', state: 'completed', steps: 1, totals, at: now, order },
  ...over,
});
const naming = { title: 'A refund', source: 'http', user: 'ada' };

/** The contract of `Graves`, and of every walk over the ages of sessions. */
export function gravesContract(name: string, open: () => Promise<GraveStores>): void {
  let stores: GraveStores;
  beforeEach(async () => {
    stores = await open();
  });
  const bury = (at = now, of = key) => stores.graves.bury(of, at);
  const buried = { kind: 'buried' };
  const busy = { kind: 'busy' };
  const dueAt = async (at: number) => {
    const found: Grave[] = [];
    for await (const page of stores.graves.due(at)) found.push(...page);
    return found;
  };
  /** The grave of the session, as the process that buried it holds it. */
  const grave = async (at = now): Promise<Grave> => {
    const [one] = await dueAt(at);
    if (!one) throw new Error('there is no grave');
    return one;
  };

  describe(`${name}: burying`, () => {
    test('a session at rest no longer exists for any caller', async () => {
      const { session } = await restingSession(stores);
      await stores.listings.moved(key, standing(2), naming);
      expect(await bury()).toEqual(buried);
      const { sessions, inbox } = stores;
      expect(await sessions.read(key)).toBeUndefined();
      expect(await sessions.watch(key)).toBeUndefined();
      expect(await claimAs(stores, 'b')).toEqual({ kind: 'unknown' });
      expect(await inbox.accept(key, anEvent('e9'), now)).toEqual({ kind: 'unknown' });
      expect(await inbox.accept(key, anEvent('e8'), now, 'keep')).toEqual({ kind: 'unknown' });
      expect(await sessions.subscribe(key, 'c1')).toEqual({ kind: 'unknown' });
      await sessions.unsubscribe(key, 'c1');
      expect(await sessions.cancel(key, now)).toBe('unknown');
      expect(await sessions.revoke(key, 'g1')).toBe('unknown');
      expect(await sessions.decide(key, 'w1', { approved: true, by: 'ada', at: now })).toBe('unknown');
      expect(await sessions.restore(key, session, { nudges: [] })).toBe('unknown');
      expect(await sessions.beginCall(key, 'w1', { invocationId: 'i', until: now }, true, now)).toEqual({
        kind: 'closed',
      });
      expect(await sessions.finishCall(key, 'w1', now)).toBe('closed');
      await sessions.postpone(key, now + 60 * minutes, now + 90 * minutes);
      for await (const page of sessions.overdue(now + 1000 * minutes)) expect(page).toEqual([]);
      expect(await sessions.create(aSession())).toEqual({ kind: 'gone' });
      expect(await stores.listed.read(key)).toBeUndefined();
      expect(await stores.listed.rename(key, { title: 'back' })).toBe('unknown');
      expect((await stores.listed.page('acme', { limit: 10 })).sessions).toEqual([]);
    });

    test('its tombstone can be read; a session that stands has none, nor has one that never was', async () => {
      expect(await stores.graves.read(key)).toBeUndefined();
      await restingSession(stores);
      expect(await stores.graves.read(key)).toBeUndefined();
      await bury();
      expect(await stores.graves.read(key)).toEqual(await grave());
      expect(await stores.graves.read({ ...key, tenant: 'globex' })).toBeUndefined();
    });

    test('a session that never ran is at rest', async () => {
      await stores.sessions.create(aSession());
      expect(await bury()).toEqual(buried);
    });

    test('a session that runs or waits is busy, and does not change', async () => {
      await dueSession(stores);
      expect(await bury()).toEqual(busy);
      const view = await claimed(stores, 'a');
      expect(await bury()).toEqual(busy);
      // Its owner may have died, and the next owner continues it.
      expect(await bury(now + 2 * leaseMs)).toEqual(busy);
      await stores.sessions.commit(
        commitOf(view, { incorporated: ['e1'], next: { kind: 'run', dueAt: now + 60 * minutes } }),
      );
      expect(await bury()).toEqual(busy);
      expect(await stores.sessions.cancel(key, now)).toBe('cancelled');
    });

    test('a session that waits for people is busy', async () => {
      await waitingSession(stores, { kind: 'wait_for_people', until: now + 60 * minutes });
      expect(await bury()).toEqual(busy);
    });

    test('a missing session is unknown, also the second time; a repeated write counts as the first', async () => {
      expect(await bury()).toEqual({ kind: 'unknown' });
      await restingSession(stores);
      expect(await bury()).toEqual(buried);
      expect(await bury()).toEqual(buried);
      expect(await bury(now + 1)).toEqual({ kind: 'unknown' });
    });

    test('a caller that says what it saw does not bury a session that has moved since', async () => {
      const { fence } = await restingSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const view = await claimed(stores, 'b');
      await stores.sessions.commit(restOf(view));
      expect(await stores.graves.bury(key, now, { seen: fence })).toEqual(busy);
      expect(await stores.graves.bury(key, now, { seen: (await viewOf(stores)).fence })).toEqual(buried);
    });

    test('a session with forks stays, and names them, until they release it', async () => {
      await restingSession(stores);
      for (const fork of ['f2', 'f1']) {
        await stores.sessions.create(aSession({ key: { ...key, sessionId: fork } }));
        await stores.sessions.addFork(key, fork);
      }
      expect(await bury()).toEqual({ kind: 'forked', forks: ['f1', 'f2'] });
      for (const sessionId of ['f1', 'f2']) {
        await stores.graves.bury({ ...key, sessionId }, now, { origin: 's1' });
        const graves = await dueAt(now);
        const one = graves.find((found) => found.key.sessionId === sessionId);
        expect(one).toMatchObject({ origin: 's1' });
        await stores.sessions.removeFork(key, sessionId);
      }
      expect(await bury()).toEqual(buried);
      expect(await stores.sessions.addFork(key, 'f3')).toBe('unknown');
      await stores.sessions.removeFork(key, 'f1');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('an owner that comes back from the dead restores nothing', async () => {
      const view = await claimedSession(stores);
      const next = await claimed(stores, 'b', { at: now + 2 * leaseMs });
      await stores.sessions.commit(restOf(next));
      expect(await bury()).toEqual(buried);
      expect(await stores.sessions.extend(key, 1, now + leaseMs)).toBe('lost');
      expect(await stores.sessions.fence(key, 1, 0, ['c1'])).toBe('refused');
      expect(await stores.sessions.commit(restOf(view))).toEqual({ kind: 'superseded' });
      expect(await stores.inbox.refill(key, view.fence)).toEqual(view.fence);
      await stores.listings.moved(key, standing(99), naming);
      expect(await stores.listed.read(key)).toBeUndefined();
      expect((await stores.listed.page('acme', { limit: 10 })).sessions).toEqual([]);
      expect(await stores.sessions.read(key)).toBeUndefined();
    });
  });

  /** Writes one of everything that can be stored. */
  async function fill(of: SessionKey): Promise<void> {
    const { sessions, log, blobs, outbound, later, listings } = stores;
    await sessions.putSlot(of, 1, aSlot(0));
    await sessions.putSlot(of, 1, aSlot(1, ofBytes(500_000)));
    await sessions.putPack(of, 'p1', [aSlot(0)]);
    await sessions.putResult(of, 1, aResult('c1', ofBytes(400_000)));
    await log.append(of, frames(1, 3));
    await outbound.put(of, callbackDestination('https://listener.test/'));
    const grant = { ...of, slot: 0, callId: 'c1', name: 'n', id: 'a1', expiresAt: now + minutes };
    await later.grant(`hash of ${of.tenant} ${of.sessionId}`, grant);
    await later.settle(of, 'a1', { result: aResult('c1', noise(320_000)) });
    await listings.moved(of, standing(2), naming);
    for (const name of ['content/h1', 'trees/h2', 'attachments/h3', 'results/1/c1', "files/a%20it's(1)"])
      await blobs.put(`${of.tenant}/${of.sessionId}/${name}`, 'bytes');
  }

  describe(`${name}: erasing`, () => {
    test('everything stored of a session is deleted, and nothing of others', async () => {
      const others = [
        { ...key, sessionId: 's10' },
        { ...key, sessionId: 's-1' },
        { ...key, tenant: 'globex' },
      ];
      await restingSession(stores);
      for (const of of [key, ...others]) await fill(of);
      const before = await Promise.all(others.map((of) => stores.left(of)));
      await bury();
      expect(await stores.left(key)).not.toEqual([]);
      await stores.graves.erase(await grave());
      expect(await stores.left(key)).toEqual([]);
      expect(await stores.sessions.slots(key, 0)).toEqual([]);
      expect(await stores.later.granted('hash of acme s1')).toBeUndefined();
      expect(await Promise.all(others.map((of) => stores.left(of)))).toEqual(before);
      expect(await stores.blobs.get('acme/s10/content/h1')).toBe('bytes');
      expect(await stores.later.granted('hash of acme s10')).toBeDefined();
      expect(await stores.sessions.create(aSession())).toEqual({ kind: 'gone' });
    });

    test('late writes are erased the next time', async () => {
      await restingSession(stores);
      await bury();
      await stores.graves.erase(await grave());
      await fill(key);
      await stores.inbox.accept(key, anEvent('e9'), now);
      expect(await stores.left(key)).not.toEqual([]);
      await stores.graves.erase(await grave());
      expect(await stores.left(key)).toEqual([]);
    });

    test('hundreds of slots are deleted', async () => {
      await restingSession(stores);
      for (let n = 0; n < 130; n++) await stores.sessions.putSlot(key, 1, aSlot(n));
      await bury();
      await stores.graves.erase(await grave());
      expect(await stores.left(key)).toEqual([]);
    });
  });

  describe(`${name}: tombstones`, () => {
    test('are due at once, and later if the caller says so', async () => {
      await restingSession(stores);
      await bury();
      expect(await dueAt(now - 1)).toEqual([]);
      const first = await grave();
      expect(first).toEqual({ key, buriedAt: now, at: now });
      const mine = await stores.graves.move(first, now + 5 * minutes);
      expect(mine).toEqual({ key, buriedAt: now, at: now + 5 * minutes });
      expect(await dueAt(now + 5 * minutes - 1)).toEqual([]);
      expect(await dueAt(now + 5 * minutes)).toEqual([mine]);
    });

    test('belong to the process that moved them last', async () => {
      await restingSession(stores);
      await bury();
      const first = await grave();
      const mine = await stores.graves.move(first, now + 5 * minutes);
      expect(await stores.graves.move(first, now + 6 * minutes)).toBeUndefined();
      await stores.graves.close(first);
      expect(await stores.sessions.create(aSession())).toEqual({ kind: 'gone' });
      if (!mine) throw new Error('it was not moved');
      await stores.graves.erase(mine);
      await stores.graves.close(mine);
      expect(await stores.hasTombstone(key)).toBe(false);
      expect(await stores.graves.move(mine, now)).toBeUndefined();
    });

    test('leave room for a new session with the same key, which appears in lists as usual', async () => {
      await restingSession(stores);
      await stores.listings.moved(key, standing(2), naming);
      await bury();
      const one = await grave();
      await stores.graves.erase(one);
      await stores.graves.close(one);
      expect(await stores.sessions.create(aSession())).toEqual({ kind: 'created' });
      await stores.listings.moved(key, standing(1), { ...naming, title: 'Another' });
      expect(await stores.listed.read(key)).toMatchObject({ title: 'Another' });
      await stores.graves.close(one);
      expect(await stores.sessions.read(key)).toBeDefined();
      expect(await stores.listed.read(key)).toMatchObject({ title: 'Another' });
    });
  });

  describe(`${name}: ages`, () => {
    const DAY = 24 * 60 * minutes;
    const agedAt = async (at: number, before: number) => {
      const page = await stores.ages.page(at, before);
      return page?.aged.map(({ tenant, sessionId }) => `${tenant}/${sessionId}`).sort();
    };

    test('a walk shows what has not moved since, and starts over a day later', async () => {
      await stores.listings.moved(key, standing(2, { at: now - 3 * DAY }), naming);
      await stores.listings.moved({ ...key, tenant: 'globex' }, standing(2, { at: now - 4 * DAY }), naming);
      await stores.listings.moved({ ...key, sessionId: 's2' }, standing(2), naming);
      const page = await stores.ages.page(now, now - 2 * DAY);
      expect(page?.aged).toHaveLength(2);
      // That page is not done.
      expect(await agedAt(now, now - 2 * DAY)).toEqual(['acme/s1', 'globex/s1']);
      await stores.ages.advance(page?.next ?? '');
      expect(await agedAt(now + DAY - 1, now - 2 * DAY)).toBeUndefined();
      expect(await agedAt(now + DAY, now - 2 * DAY)).toEqual(['acme/s1', 'globex/s1']);
    });

    test('a walk over many pages reaches all of them', async () => {
      const ids = Array.from({ length: 260 }, (_, i) => `s${i}`);
      await Promise.all(
        ids.map((sessionId) =>
          stores.listings.moved({ ...key, sessionId }, standing(2, { at: now - DAY }), naming),
        ),
      );
      const seen: string[] = [];
      for (let page = await stores.ages.page(now, now); page; page = await stores.ages.page(now, now)) {
        seen.push(...page.aged.map(({ sessionId }) => sessionId));
        await stores.ages.advance(page.next);
      }
      expect(seen.sort()).toEqual(ids.sort());
    });

    test('say when a session last moved', async () => {
      await stores.listings.moved(key, standing(2), naming);
      expect(await stores.ages.movedAt(key)).toBe(now);
      expect(await stores.ages.movedAt({ ...key, sessionId: 's2' })).toBeUndefined();
    });
  });
}

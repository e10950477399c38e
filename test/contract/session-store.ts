import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_FORKS, MAX_SUBSCRIBERS, type Sleeper } from '../../shared/agent/ports/sessions.ts';
import { overdueAt } from '../support/overdue.ts';
import { claimContract } from './claims.ts';
import { commitContract } from './commits.ts';
import {
  aFrame,
  anEvent,
  aResult,
  aSession,
  aSlot,
  claimed,
  claimedSession,
  commitOf,
  dueSession,
  key,
  leaseMs,
  minutes,
  now,
  type OpenStores,
  oddText,
  ofBytes,
  restOf,
  type Stores,
  viewOf,
} from './harness.ts';
import { packContract } from './packs.ts';
import { waitContract } from './waits.ts';

/** The contract of `SessionStore`. It is larger than any of the others, on purpose. */
export function sessionStoreContract(name: string, open: OpenStores): void {
  let stores: Stores;
  beforeEach(async () => {
    stores = await open();
  });

  claimContract(name, open);
  commitContract(name, open);
  waitContract(name, open);
  packContract(name, open);

  describe(`${name}: slots written before their session`, () => {
    test('become its first ones when it is created with them, and its owner writes after them', async () => {
      for (const n of [0, 1]) expect(await stores.sessions.putSlot(key, 0, aSlot(n))).toBe('put');
      // Repeated by a process that continues one that died.
      expect(await stores.sessions.putSlot(key, 0, aSlot(1))).toBe('put');
      expect(await stores.sessions.read(key)).toBeUndefined();
      expect(await stores.sessions.create(aSession({ version: 2 }))).toEqual({ kind: 'created' });
      expect((await viewOf(stores)).session.version).toBe(2);
      await stores.inbox.accept(key, anEvent('e1'), now);
      const view = await claimed(stores, 'a');
      expect(view.session.version).toBe(2);
      expect(await stores.sessions.putSlot(key, view.fence.epoch, aSlot(2))).toBe('put');
      const stored = await stores.sessions.slots(key, 0);
      expect(stored.map(({ slot, epoch }) => [slot.n, epoch])).toEqual([
        [0, 0],
        [1, 0],
        [2, view.fence.epoch],
      ]);
      expect(await stores.sessions.putSlot(key, 0, aSlot(2, 'late'))).toBe('superseded');
    });
  });

  describe(`${name}: create and read`, () => {
    test('a new session is at rest, as it was given', async () => {
      expect(await stores.sessions.create(aSession())).toEqual({ kind: 'created' });
      expect(await viewOf(stores)).toEqual({
        session: aSession(),
        leaseUntil: 0,
        attempts: 0,
        tail: [],
        forks: [],
        fence: {
          epoch: 0,
          cancelGen: 0,
          inboxSeq: 0,
          inbox: [],
          overflow: false,
          consumed: [],
          intents: [],
          subscribers: [],
          pending: [],
          decisions: {},
          started: {},
          revoked: [],
        },
      });
    });

    test('an existing session stays as it is, and is returned', async () => {
      const view = await claimedSession(stores);
      const other = aSession({ agent: 'other', definition: 'hash2' });
      expect(await stores.sessions.create(other)).toEqual({ kind: 'exists', session: aSession() });
      expect(await viewOf(stores)).toEqual(view);
    });

    test('of many that create it at once, one succeeds', async () => {
      const all = await Promise.all([1, 2, 3, 4].map(() => stores.sessions.create(aSession())));
      expect(all.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    });

    test('a missing session is undefined', async () => {
      expect(await stores.sessions.read(key)).toBeUndefined();
      expect(await stores.sessions.watch(key)).toBeUndefined();
    });

    test('changing a returned value does not change the store', async () => {
      const view = await claimedSession(stores);
      const before = structuredClone(view);
      tryTo(() => (view.fence.inbox as string[]).push('mine'));
      tryTo(() => Object.assign(view.session.totals, { input: 99 }));
      expect(await viewOf(stores)).toEqual(before);
    });

    test('changing a passed value does not change the store', async () => {
      const session = aSession({ totals: { ...aSession().totals } });
      await stores.sessions.create(session);
      (session.totals as { input: number }).input = 99;
      expect((await viewOf(stores)).session.totals.input).toBe(0);
    });
  });

  describe(`${name}: definitions`, () => {
    const pinned = (system: string) =>
      ({ agent: 'triage', system, request: { effort: { deep: true } } }) as never;

    test('are kept under their hash, and the first one stays', async () => {
      expect(await stores.sessions.definition('acme', 'h1')).toBeUndefined();
      await stores.sessions.putDefinition('acme', 'h1', pinned('one'));
      await stores.sessions.putDefinition('acme', 'h1', pinned('two'));
      await stores.sessions.putDefinition('acme', 'h2', pinned(oddText));
      expect(await stores.sessions.definition('acme', 'h1')).toEqual(pinned('one'));
      expect(await stores.sessions.definition('acme', 'h2')).toMatchObject({ system: oddText });
    });

    test('are not seen by other tenants', async () => {
      await stores.sessions.putDefinition('acme', 'h1', pinned('one'));
      expect(await stores.sessions.definition('globex', 'h1')).toBeUndefined();
    });

    test('may be larger than an item', async () => {
      const large = pinned(ofBytes(500_000));
      await stores.sessions.putDefinition('acme', 'h1', large);
      expect(await stores.sessions.definition('acme', 'h1')).toEqual(large);
    });

    test('are not changed by a reader', async () => {
      await stores.sessions.putDefinition('acme', 'h1', pinned('one'));
      const first = await stores.sessions.definition('acme', 'h1');
      tryTo(() => Object.assign(first ?? {}, { system: 'changed' }));
      expect(await stores.sessions.definition('acme', 'h1')).toMatchObject({ system: 'one' });
    });
  });

  describe(`${name}: slots`, () => {
    const put = (epoch: number, slot = aSlot(0)) => stores.sessions.putSlot(key, epoch, slot);
    const numbers = async (from: number) =>
      (await stores.sessions.slots(key, from)).map(({ slot }) => slot.n);

    test('are read in order, from a given one on', async () => {
      for (const n of [100, 0, 9, 10, 2]) await put(1, aSlot(n));
      expect(await numbers(0)).toEqual([0, 2, 9, 10, 100]);
      expect(await numbers(9)).toEqual([9, 10, 100]);
      expect(await numbers(101)).toEqual([]);
    });

    test('come back byte for byte', async () => {
      const slot = { ...aSlot(3, oddText), verdicts: [], zebra: 1, apple: { b: [], a: null }, n: 3 };
      await put(4, slot);
      const [stored] = await stores.sessions.slots(key, 0);
      expect(stored?.epoch).toBe(4);
      expect(JSON.stringify(stored?.slot)).toBe(JSON.stringify(slot));
    });

    test('of other sessions are not seen', async () => {
      await stores.sessions.putSlot({ ...key, sessionId: 's10' }, 1, aSlot(0));
      await stores.sessions.putSlot({ ...key, tenant: 'globex' }, 1, aSlot(0));
      expect(await numbers(0)).toEqual([]);
    });

    test('are replaced by the same epoch and by later ones, never by an earlier one', async () => {
      expect(await put(2, aSlot(0, 'first'))).toBe('put');
      expect(await put(2, aSlot(0, 'again'))).toBe('put');
      expect(await stores.sessions.slots(key, 0)).toEqual([{ epoch: 2, slot: aSlot(0, 'again') }]);
      expect(await put(3, aSlot(0, 'adopted'))).toBe('put');
      expect(await put(2, aSlot(0, 'zombie'))).toBe('superseded');
      expect(await stores.sessions.slots(key, 0)).toEqual([{ epoch: 3, slot: aSlot(0, 'adopted') }]);
    });

    test('may be larger than an item, and an earlier epoch leaves them intact', async () => {
      const large = aSlot(0, ofBytes(1_000_000));
      expect(await put(3, large)).toBe('put');
      expect(await put(2, aSlot(0, ofBytes(900_000)))).toBe('superseded');
      expect(await stores.sessions.slots(key, 0)).toEqual([{ epoch: 3, slot: large }]);
      expect(await put(3, aSlot(0, 'small'))).toBe('put');
      expect(await stores.sessions.slots(key, 0)).toEqual([{ epoch: 3, slot: aSlot(0, 'small') }]);
    });

    test('are read in pages, by count and bytes', async () => {
      for (let n = 0; n < 6; n++) await put(1, aSlot(n, ofBytes(1_000)));
      const page = async (from: number, below: number, bytes: number) =>
        (await stores.sessions.slots(key, from, { below, bytes })).map(({ slot }) => slot.n);
      expect(await page(0, 4, 1_000_000)).toEqual([0, 1, 2, 3]);
      expect(await page(2, 100, 1_000_000)).toEqual([2, 3, 4, 5]);
      expect(await page(1, 6, 2_000)).toEqual([1, 2]);
      expect(await page(1, 6, 1)).toEqual([1]);
      expect(await page(4, 4, 1_000)).toEqual([]);
      expect(await page(9, 4, 1_000)).toEqual([]);
    });

    test('of a page may each be larger than an item, and than the page', async () => {
      for (let n = 0; n < 3; n++) await put(1, aSlot(n, ofBytes(700_000)));
      const page = (bytes: number) => stores.sessions.slots(key, 1, { below: 3, bytes });
      expect(await page(500_000)).toEqual([{ epoch: 1, slot: aSlot(1, ofBytes(700_000)) }]);
      expect((await page(1_000_000)).map(({ slot }) => slot.n)).toEqual([1, 2]);
    });

    test('may be more than one response of the store holds', async () => {
      const text = ofBytes(290_000);
      for (let n = 0; n < 6; n++) await put(1, aSlot(n, text));
      expect(await numbers(0)).toEqual([0, 1, 2, 3, 4, 5]);
    });
  });

  describe(`${name}: results`, () => {
    const callIds = async (n: number) => (await stores.sessions.results(key, n)).map(({ callId }) => callId);

    test('are kept by batch', async () => {
      await stores.sessions.putResult(key, 1, aResult('c2'));
      await stores.sessions.putResult(key, 1, aResult('c1'));
      await stores.sessions.putResult(key, 10, aResult('c3'));
      await stores.sessions.putResult({ ...key, sessionId: 's2' }, 1, aResult('c4'));
      expect(await callIds(1)).toEqual(['c1', 'c2']);
      expect(await callIds(10)).toEqual(['c3']);
      expect(await callIds(0)).toEqual([]);
    });

    test('the first one for a call stays', async () => {
      await stores.sessions.putResult(key, 1, aResult('c1', 'first'));
      await stores.sessions.putResult(key, 1, aResult('c1', 'second'));
      expect(await stores.sessions.results(key, 1)).toEqual([aResult('c1', 'first')]);
    });

    test('may be larger than an item', async () => {
      const large = aResult('c1', ofBytes(500_000));
      await stores.sessions.putResult(key, 1, large);
      expect(await stores.sessions.results(key, 1)).toEqual([large]);
    });
  });

  describe(`${name}: forks`, () => {
    const forks = async () => (await viewOf(stores)).forks;

    test('are recorded once, and removed', async () => {
      await stores.sessions.create(aSession());
      expect(await stores.sessions.addFork(key, 'b')).toBe('added');
      expect(await stores.sessions.addFork(key, 'a')).toBe('added');
      expect(await stores.sessions.addFork(key, 'b')).toBe('added');
      expect(await forks()).toEqual(['a', 'b']);
      await stores.sessions.removeFork(key, 'b');
      await stores.sessions.removeFork(key, 'b');
      expect(await forks()).toEqual(['a']);
    });

    test('survive a commit of the session', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.addFork(key, 'b');
      await stores.sessions.commit(commitOf(view));
      expect(await forks()).toEqual(['b']);
    });

    test('are limited in number; one that is recorded can be recorded again', async () => {
      await stores.sessions.create(aSession());
      for (let i = 0; i < MAX_FORKS; i++) await stores.sessions.addFork(key, `f${i}`);
      expect(await stores.sessions.addFork(key, 'one more')).toBe('full');
      expect(await stores.sessions.addFork(key, 'f0')).toBe('added');
    });

    test('of a missing session are not recorded, and create none', async () => {
      expect(await stores.sessions.addFork(key, 'b')).toBe('unknown');
      await stores.sessions.removeFork(key, 'b');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('know their origin', async () => {
      const origin = [{ sessionId: 'other', below: 3, packs: 'p1' }];
      const forkOf = { sessionId: 'other', below: 3 };
      await stores.sessions.create(aSession({ version: 3, origin, forkOf }));
      expect((await viewOf(stores)).session).toMatchObject({ origin, forkOf });
    });
  });

  describe(`${name}: subscribers`, () => {
    const subscribers = async () => (await viewOf(stores)).fence.subscribers;

    test('are a set', async () => {
      await stores.sessions.create(aSession());
      const subscribed = { kind: 'subscribed' };
      expect(await stores.sessions.subscribe(key, 'b')).toEqual(subscribed);
      expect(await stores.sessions.subscribe(key, 'a')).toEqual(subscribed);
      expect(await stores.sessions.subscribe(key, 'b')).toEqual(subscribed);
      expect(await subscribers()).toEqual(['a', 'b']);
      await stores.sessions.unsubscribe(key, 'b');
      await stores.sessions.unsubscribe(key, 'b');
      await stores.sessions.unsubscribe(key, 'a');
      expect(await subscribers()).toEqual([]);
    });

    test('are limited in number: one more gets the list, and joins when another has left', async () => {
      await stores.sessions.create(aSession());
      const all = Array.from({ length: MAX_SUBSCRIBERS + 5 }, (_, i) => `c${String(i).padStart(3, '0')}`);
      const results = await Promise.all(all.map((id) => stores.sessions.subscribe(key, id)));
      const inside = await subscribers();
      expect(inside).toHaveLength(MAX_SUBSCRIBERS);
      expect(results.filter(({ kind }) => kind === 'subscribed')).toHaveLength(MAX_SUBSCRIBERS);
      expect(await stores.sessions.subscribe(key, 'late')).toEqual({ kind: 'full', subscribers: inside });
      const [first = ''] = inside;
      expect(await stores.sessions.subscribe(key, first)).toEqual({ kind: 'subscribed' });
      await stores.sessions.unsubscribe(key, first);
      expect(await stores.sessions.subscribe(key, 'late')).toEqual({ kind: 'subscribed' });
    });

    test('survive claim, commit and cancel, and are seen by the running step', async () => {
      await claimedSession(stores);
      await stores.sessions.subscribe(key, 'a');
      expect(await stores.sessions.watch(key)).toMatchObject({ subscribers: ['a'] });
      await stores.sessions.cancel(key, now);
      await stores.sessions.commit(restOf(await viewOf(stores)));
      expect(await subscribers()).toEqual(['a']);
    });

    test('an unknown session has none, and is not created', async () => {
      expect(await stores.sessions.subscribe(key, 'a')).toEqual({ kind: 'unknown' });
      await stores.sessions.unsubscribe(key, 'a');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });
  });

  describe(`${name}: overdue`, () => {
    const keys = async (at: number) =>
      (await overdueAt(stores, at)).map(({ session }) => session.key.sessionId);
    const named = (sessionId: string) => ({ tenant: 'acme', sessionId });

    test('a wake is overdue five to ten minutes after it was due', async () => {
      await dueSession(stores);
      expect(await keys(now + 5 * minutes)).toEqual([]);
      expect(await keys(now + 10 * minutes)).toEqual(['s1']);
    });

    test('shows the session as it is', async () => {
      await dueSession(stores);
      expect(await overdueAt(stores, now + 10 * minutes)).toEqual([await viewOf(stores)]);
    });

    test('a held session is not overdue; a session whose owner is gone is', async () => {
      await dueSession(stores);
      await claimed(stores, 'a', { at: now + 10 * minutes });
      expect(await keys(now + 10 * minutes + leaseMs - 1)).toEqual([]);
      expect(await keys(now + 10 * minutes + leaseMs)).toEqual(['s1']);
    });

    test('a commit that continues postpones it', async () => {
      await dueSession(stores);
      const view = await claimed(stores, 'a', { at: now + 9 * minutes });
      const at = now + 9 * minutes;
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt: at }, now: at }));
      expect(await keys(now + 12 * minutes)).toEqual([]);
      expect(await keys(now + 20 * minutes)).toEqual(['s1']);
    });

    test('a long wait ends within one minute after its time', async () => {
      const view = await claimedSession(stores);
      const dueAt = now + 90 * minutes;
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt } }));
      expect(await keys(dueAt - 1)).toEqual([]);
      expect(await keys(dueAt + minutes)).toEqual(['s1']);
    });

    test('an event neither advances nor postpones a waiting session', async () => {
      const view = await claimedSession(stores);
      const dueAt = now + 90 * minutes;
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt } }));
      await stores.inbox.accept(key, anEvent('e2'), now);
      expect(await keys(dueAt - 1)).toEqual([]);
      expect(await keys(dueAt + minutes)).toEqual(['s1']);
    });

    test('a stream of events does not postpone a lost wake', async () => {
      await dueSession(stores);
      for (const id of ['e2', 'e3', 'e4']) await stores.inbox.accept(key, anEvent(id), now + 9 * minutes);
      expect(await keys(now + 10 * minutes)).toEqual(['s1']);
    });

    test('a postponed session is not overdue until then, and one that is not overdue cannot be postponed', async () => {
      await dueSession(stores, now, named('s1'));
      const at = now + 10 * minutes;
      await stores.sessions.postpone(named('s1'), now, now + 60 * minutes);
      expect(await keys(at)).toEqual(['s1']);
      await stores.sessions.postpone(named('s1'), at, at + 5 * minutes);
      expect(await keys(at + 5 * minutes - 1)).toEqual([]);
      expect(await keys(at + 5 * minutes)).toEqual(['s1']);
      await stores.sessions.postpone(named('nothere'), at, at);
    });

    test('sessions at rest are not overdue', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(restOf(view, { tail: [aFrame(1)] }));
      expect(await keys(now + 1000 * minutes)).toEqual([]);
    });

    test('all are returned, each once, the oldest first on each page', async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `s${i}`);
      for (const [i, id] of ids.entries()) await dueSession(stores, now - i * 5 * minutes, named(id));
      const seen: string[] = [];
      for await (const page of stores.sessions.overdue(now + 60 * minutes)) {
        const moments = page.map(({ sweepAt }) => sweepAt);
        expect(moments).toEqual(moments.toSorted((a, b) => a - b));
        seen.push(...page.map(({ session }) => session.key.sessionId));
      }
      expect(seen.sort()).toEqual(ids.sort());
    });

    test('are found among and after any number of held sessions', async () => {
      const at = now + 60 * minutes;
      const ids = Array.from({ length: 30 }, (_, i) => `s${i}`);
      for (const id of ids) {
        await dueSession(stores, now, named(id));
        await claimed(stores, id, { key: named(id), at });
      }
      await dueSession(stores, now + 20 * minutes, named('later'));
      expect(await keys(at)).toEqual(['later']);
    });

    test('are shown ahead of time, with that time, if the caller asks for upcoming ones', async () => {
      await dueSession(stores);
      const ahead = async (at: number, ms: number) => {
        const sleepers: Sleeper[] = [];
        for await (const page of stores.sessions.overdue(at, ms)) sleepers.push(...page);
        return sleepers;
      };
      const [sleeper] = await ahead(now, 10 * minutes);
      const { sweepAt = 0 } = sleeper ?? {};
      expect(sleeper).toEqual({ ...(await viewOf(stores)), sweepAt });
      expect(await ahead(sweepAt - 5_000, 4_999)).toEqual([]);
      expect(await ahead(sweepAt - 5_000, 5_000)).toEqual([sleeper]);
      await claimed(stores, 'a', { at: sweepAt - 5_000 });
      expect(await ahead(sweepAt - 5_000, 5_000)).toEqual([]);
    });

    test('the caller can stop before all have been shown', async () => {
      for (const id of ['s1', 's2', 's3']) await dueSession(stores, now, named(id));
      for await (const page of stores.sessions.overdue(now + 60 * minutes)) {
        expect(page.length).toBeGreaterThan(0);
        break;
      }
      expect(await keys(now + 60 * minutes)).toHaveLength(3);
    });
  });
}

/** The store may return a copy, or an object that cannot be changed. */
function tryTo(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
  }
}

import { beforeEach, describe, expect, test } from 'vitest';
import {
  aFrame,
  anEvent,
  aSession,
  claimAs,
  claimed,
  claimedSession,
  commitOf,
  dueSession,
  key,
  leaseMs,
  minutes,
  now,
  type OpenStores,
  restOf,
  type Stores,
  viewOf,
} from './harness.ts';

/** Which invocation may work on a session. */
export function claimContract(name: string, open: OpenStores): void {
  describe(`${name}: claim`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });

    test('an unknown session is unknown', async () => {
      expect(await claimAs(stores, 'a')).toEqual({ kind: 'unknown' });
    });

    test('a session without events is at rest', async () => {
      await stores.sessions.create(aSession());
      expect(await claimAs(stores, 'a')).toMatchObject({ kind: 'rest', view: { session: aSession() } });
    });

    test('a session at rest shows the tail of its last commit', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(restOf(view, { tail: [aFrame(7)] }));
      expect(await claimAs(stores, 'b')).toMatchObject({ kind: 'rest', view: { tail: [aFrame(7)] } });
    });

    test('a due session is claimed under a new epoch, and the attempt is counted', async () => {
      await dueSession(stores);
      const view = await claimed(stores, 'a');
      expect(view).toMatchObject({ attempts: 1, leaseUntil: now + leaseMs, dueAt: now });
      expect(view.fence).toMatchObject({ epoch: 1, inbox: ['e1'], cancelGen: 0 });
      expect(await viewOf(stores)).toEqual(view);
    });

    test('a session can be claimed from the millisecond at which it is due, and not before', async () => {
      const view = await claimedSession(stores);
      const dueAt = now + 5 * minutes;
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt } }));
      expect(await claimAs(stores, 'b', { at: dueAt - 1 })).toMatchObject({ kind: 'early', dueAt });
      expect(await claimAs(stores, 'b', { at: dueAt })).toMatchObject({ kind: 'claimed' });
    });

    test('a claim that comes too early changes nothing', async () => {
      const first = await claimedSession(stores);
      await stores.sessions.commit(commitOf(first, { next: { kind: 'run', dueAt: now + 1 } }));
      const before = await viewOf(stores);
      await claimAs(stores, 'b');
      expect(await viewOf(stores)).toEqual(before);
    });

    test('a held session is refused to others, for the same message and for another', async () => {
      await dueSession(stores);
      await claimed(stores, 'a', { messageId: 'm1' });
      const before = await viewOf(stores);
      expect(await claimAs(stores, 'b', { messageId: 'm1' })).toEqual({ kind: 'leased_by_this_message' });
      expect(await claimAs(stores, 'b', { messageId: 'm2' })).toEqual({ kind: 'leased' });
      expect(await claimAs(stores, 'b', { messageId: 'm2', at: now + leaseMs - 1 })).toEqual({
        kind: 'leased',
      });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('an expired lease is taken over, and the attempts add up', async () => {
      await claimedSession(stores);
      const view = await claimed(stores, 'b', { messageId: 'm2', at: now + leaseMs });
      expect(view).toMatchObject({ attempts: 2, leaseUntil: now + 2 * leaseMs, fence: { epoch: 2 } });
      expect(await claimAs(stores, 'c', { messageId: 'm2', at: now + leaseMs })).toEqual({
        kind: 'leased_by_this_message',
      });
    });

    test('a claim whose response was lost is claimed, and counted once', async () => {
      const first = await claimedSession(stores);
      expect(await claimed(stores, 'a')).toEqual(first);
      expect(await viewOf(stores)).toEqual(first);
    });

    test('a claim whose response was lost is claimed even if a cancel came in between', async () => {
      const first = await claimedSession(stores);
      await stores.sessions.cancel(key, now + 5);
      const again = await claimed(stores, 'a');
      expect(again.fence).toEqual({ ...first.fence, cancelGen: 1 });
    });

    test('a former owner is refused like any other invocation', async () => {
      await claimedSession(stores);
      await claimed(stores, 'b', { at: now + leaseMs });
      expect(await claimAs(stores, 'a', { at: now + leaseMs })).toEqual({ kind: 'leased' });
    });

    test('an invocation that claims again after its lease expired counts again', async () => {
      await claimedSession(stores);
      const view = await claimed(stores, 'a', { at: now + leaseMs });
      expect(view).toMatchObject({ attempts: 2, fence: { epoch: 2 } });
    });

    test('an invocation that claims again after its commit begins a new epoch', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view));
      expect(await claimed(stores, 'a')).toMatchObject({ attempts: 1, fence: { epoch: 2 } });
    });

    test('of many claims at once, one wins', async () => {
      await dueSession(stores);
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const results = await Promise.all(names.map((invocation) => claimAs(stores, invocation)));
      expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'leased')).toHaveLength(names.length - 1);
      expect(await viewOf(stores)).toMatchObject({ attempts: 1, fence: { epoch: 1 } });
    });

    test('sessions of two tenants with one id are two sessions', async () => {
      const other = { tenant: 'globex', sessionId: key.sessionId };
      await dueSession(stores);
      await dueSession(stores, now, other);
      await claimed(stores, 'a');
      expect(await claimAs(stores, 'b', { key: other })).toMatchObject({ kind: 'claimed' });
    });
  });

  describe(`${name}: extend`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });

    test('an extended lease keeps others out longer', async () => {
      await claimedSession(stores);
      expect(await stores.sessions.extend(key, 1, now + 2 * leaseMs)).toBe('held');
      expect(await claimAs(stores, 'b', { at: now + 2 * leaseMs - 1 })).toEqual({ kind: 'leased' });
      expect(await claimAs(stores, 'b', { at: now + 2 * leaseMs })).toMatchObject({ kind: 'claimed' });
    });

    test('extending twice has the effect of once', async () => {
      await claimedSession(stores);
      await stores.sessions.extend(key, 1, now + 2 * leaseMs);
      const before = await viewOf(stores);
      expect(await stores.sessions.extend(key, 1, now + 2 * leaseMs)).toBe('held');
      expect(await viewOf(stores)).toEqual(before);
    });

    test('an expired lease that was not taken over is still held', async () => {
      await claimedSession(stores);
      expect(await stores.sessions.extend(key, 1, now + 5 * leaseMs)).toBe('held');
    });

    test('a superseded owner loses the session and changes nothing', async () => {
      await claimedSession(stores);
      await claimed(stores, 'b', { at: now + leaseMs });
      const before = await viewOf(stores);
      expect(await stores.sessions.extend(key, 1, now + 9 * leaseMs)).toBe('lost');
      expect(await viewOf(stores)).toEqual(before);
    });

    test('a heartbeat that arrives after its commit extends nothing', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view));
      expect(await stores.sessions.extend(key, 1, now + leaseMs)).toBe('lost');
      expect(await claimAs(stores, 'b')).toMatchObject({ kind: 'claimed' });
    });

    test('an unknown session is lost, and is not created', async () => {
      expect(await stores.sessions.extend(key, 1, now)).toBe('lost');
      expect(await stores.sessions.extend(key, 0, now)).toBe('lost');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });
  });

  describe(`${name}: fence`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    const fence = (epoch: number, cancelGen: number, ...callIds: string[]) =>
      stores.sessions.fence(key, epoch, cancelGen, callIds);
    const intents = async () => (await viewOf(stores)).fence.intents;

    test('records the calls', async () => {
      await claimedSession(stores);
      expect(await fence(1, 0, 'c2', 'c1')).toBe('fenced');
      expect(await fence(1, 0, 'c3')).toBe('fenced');
      expect(await intents()).toEqual(['c1', 'c2', 'c3']);
    });

    test('a batch without calls needs no fence', async () => {
      await claimedSession(stores);
      expect(await fence(1, 0)).toBe('fenced');
    });

    test('takes the maximum number of calls of a reply, with any ids', async () => {
      await claimedSession(stores);
      const ids = [
        ...Array.from({ length: 250 }, (_, i) => `toolu_${i}`),
        'constructor',
        'a.b[0]',
        '#x:y',
        'é',
      ];
      expect(await fence(1, 0, ...ids)).toBe('fenced');
      expect(await intents()).toEqual([...ids].sort());
    });

    test('a call whose response was lost is fenced', async () => {
      await claimedSession(stores);
      await fence(1, 0, 'c1', 'c2');
      expect(await fence(1, 0, 'c1', 'c2')).toBe('fenced');
      await stores.sessions.cancel(key, now);
      expect(await fence(1, 0, 'c1', 'c2')).toBe('fenced');
    });

    test('a call that an earlier owner started is refused every time, and the whole batch with it', async () => {
      await claimedSession(stores);
      await fence(1, 0, 'c1');
      await claimed(stores, 'b', { at: now + leaseMs });
      expect(await fence(2, 0, 'c1', 'c2')).toBe('refused');
      expect(await fence(2, 0, 'c1', 'c2')).toBe('refused');
      expect(await intents()).toEqual(['c1']);
      expect(await fence(2, 0, 'c2')).toBe('fenced');
    });

    test('a superseded owner is refused', async () => {
      await claimedSession(stores);
      await claimed(stores, 'b', { at: now + leaseMs });
      expect(await fence(1, 0, 'c1')).toBe('refused');
      expect(await intents()).toEqual([]);
    });

    test('a superseded owner is refused even for calls that it had fenced before', async () => {
      await claimedSession(stores);
      await fence(1, 0, 'c1');
      await claimed(stores, 'b', { at: now + leaseMs });
      expect(await fence(1, 0, 'c1')).toBe('refused');
    });

    test('an owner that has committed is refused', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view));
      expect(await fence(1, 0, 'c1')).toBe('refused');
      expect(await intents()).toEqual([]);
    });

    test('a cancelled run starts nothing', async () => {
      await claimedSession(stores);
      await stores.sessions.cancel(key, now);
      expect(await fence(1, 0, 'c1')).toBe('refused');
      expect(await intents()).toEqual([]);
      expect(await fence(1, 1, 'c1')).toBe('fenced');
    });

    test('a commit forgets the calls', async () => {
      const view = await claimedSession(stores);
      await fence(1, 0, 'c1');
      await stores.sessions.commit(commitOf(view));
      expect(await intents()).toEqual([]);
    });

    test('a commit that wrote no slot keeps them, since the reply that asked for them may still come', async () => {
      const view = await claimedSession(stores);
      await fence(1, 0, 'c1');
      await stores.sessions.commit({ ...commitOf(view), intents: 'keep' });
      expect(await intents()).toEqual(['c1']);
      const { kind } = await stores.sessions.commit({ ...commitOf(view), intents: 'keep', waits: 'keep' });
      expect(kind).toBe('committed');
    });

    test('an unknown session is refused', async () => {
      expect(await fence(0, 0, 'c1')).toBe('refused');
    });

    test('an event does not interfere', async () => {
      await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      expect(await fence(1, 0, 'c1')).toBe('fenced');
    });
  });
}

import { beforeEach, describe, expect, test } from 'vitest';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { Session } from '../../shared/agent/session/session.ts';
import { noTotals } from '../../shared/agent/session/session.ts';
import { overdueAt } from '../support/overdue.ts';
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
  oddText,
  restingSession,
  restOf,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';

/** A session with every field set. */
const full: Session = aSession({
  definition: 'rules-of-the-next-run',
  version: 7,
  contextStart: 3,
  packed: { id: 'p1', below: 4 },
  workspace: 'a'.repeat(64),
  fold: { slot: 5, at: now, refusals: 1 },
  mustFold: { why: 'refused', refusals: 2 },
  state: 'waiting_for_input',
  reason: 'awaiting_user',
  run: {
    id: 'run1',
    startedAt: now,
    pausedMs: 12,
    steps: 3,
    toolCalls: 4,
    retries: 1,
    folds: 1,
    rateLimits: 1,
    failingSince: 1,
    resumes: 0,
    activeMs: 70_500,
    ended: false,
    totals: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.1 + 0.2 },
  },
  batch: {
    slot: 6,
    waits: [
      {
        id: 'w1',
        callId: 'c1',
        tool: 'refund',
        kind: 'approval',
        message: oddText,
        expiresAt: now + minutes,
      },
    ],
    since: now,
    notes: { [oddText]: { message: oddText, action: 'warn' } },
  },
  totals: { ...noTotals, input: 123_456_789, costUsd: 1e-9 },
  metadata: {
    guardrails: { loop: { list: [1, 'two', null, true, { deep: oddText }], empty: [], none: {} } },
  },
  nudges: [{ text: oddText, internal: { reason: 'because' } }],
  cancelSeen: 2,
  eventSeq: 4_503_599_627_370_496,
  background: [
    {
      ...{ id: 'w2', sessionId: 'cw2', callId: 'c2', name: oddText, until: now + minutes, room: 3 },
      cap: { tokens: 5, usd: 1e-9 },
    },
  ],
  unprompted: 2,
});

export function commitContract(name: string, open: OpenStores): void {
  describe(`${name}: commit`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    const commit = (...args: Parameters<typeof commitOf>) => stores.sessions.commit(commitOf(...args));

    test('writes the session, releases it and resets the count of attempts', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.subscribe(key, 'connection1');
      const result = await commit(view, {
        session: full,
        incorporated: ['e1'],
        next: { kind: 'run', dueAt: now + 5 },
        tail: [aFrame(7, oddText)],
      });
      expect(result).toEqual({ kind: 'committed', subscribers: ['connection1'] });
      expect(await viewOf(stores)).toEqual({
        session: full,
        dueAt: now + 5,
        leaseUntil: 0,
        attempts: 0,
        tail: [aFrame(7, oddText)],
        forks: [],
        fence: {
          epoch: 1,
          cancelGen: 0,
          inboxSeq: 1,
          inbox: [],
          overflow: false,
          consumed: ['e1'],
          intents: [],
          subscribers: ['connection1'],
          pending: [],
          decisions: {},
          started: {},
          revoked: [],
        },
      });
      expect(await claimAs(stores, 'b', { at: now + 5 })).toMatchObject({
        kind: 'claimed',
        view: { attempts: 1 },
      });
    });

    test('removes what the session no longer has', async () => {
      const first = await claimedSession(stores);
      await commit(first, { session: full });
      const { reason, run, batch, ...rest } = full;
      await commit(await claimed(stores, 'b'), { session: { ...rest, version: 8 } });
      const { session } = await viewOf(stores);
      expect(session).toEqual({ ...rest, version: 8 });
    });

    test('that ends the run leaves the session at rest', async () => {
      const view = await restingSession(stores);
      expect(view.dueAt).toBeUndefined();
      expect(await claimAs(stores, 'b', { at: now + 60 * minutes })).toMatchObject({ kind: 'rest' });
      expect(await overdueAt(stores, now + 60 * minutes)).toEqual([]);
    });

    test('at rest is followed by a new start at the next event', async () => {
      await restingSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now + 7);
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 7, fence: { inbox: ['e2'] } });
    });

    test('with an expired lease that was not taken over succeeds: clocks cost time, not safety', async () => {
      const view = await claimedSession(stores);
      expect(await commit(view, { now: now + 9 * leaseMs })).toMatchObject({ kind: 'committed' });
    });

    test('of a superseded owner changes nothing', async () => {
      const view = await claimedSession(stores);
      await claimed(stores, 'b', { at: now + leaseMs });
      const before = await viewOf(stores);
      expect(await commit(view)).toEqual({ kind: 'superseded' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('of a superseded owner is superseded even if the new owner committed the same', async () => {
      const view = await claimedSession(stores);
      await commit(await claimed(stores, 'b', { at: now + leaseMs }));
      expect(await commit(view)).toEqual({ kind: 'superseded' });
    });

    test('of a session that does not exist is superseded, and creates none', async () => {
      const view = await claimedSession(stores);
      const elsewhere = { ...view.session, key: { ...key, sessionId: 's2' } };
      expect(await commit(view, { session: elsewhere })).toEqual({ kind: 'superseded' });
      expect(await stores.sessions.read(elsewhere.key)).toBeUndefined();
    });

    for (const next of [{ kind: 'run', dueAt: now }, { kind: 'rest' }] as const) {
      test(`that would ${next.kind} after an unseen cancel is refused, and returns it`, async () => {
        const view = await claimedSession(stores);
        await stores.sessions.cancel(key, now);
        const before = await viewOf(stores);
        expect(await commit(view, { next, incorporated: ['e1'] })).toEqual({
          kind: 'moved',
          fence: before.fence,
        });
        expect(await viewOf(stores)).toEqual(before);
        expect(await commit(view, { next, seen: before.fence, incorporated: ['e1'] })).toMatchObject({
          kind: 'committed',
        });
      });
    }

    test('that would rest with an unseen event is refused, and returns it', async () => {
      const view = await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const before = await viewOf(stores);
      expect(await stores.sessions.commit(restOf(view))).toEqual({ kind: 'moved', fence: before.fence });
      expect(before.fence.inbox).toEqual(['e1', 'e2']);
      expect(await viewOf(stores)).toEqual(before);
    });

    test('that would rest after a replay of a waiting event is refused once', async () => {
      const view = await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e1'), now);
      const refused = await stores.sessions.commit(restOf(view));
      if (refused.kind !== 'moved') throw new Error(refused.kind);
      expect(await stores.sessions.commit(restOf(view, { seen: refused.fence }))).toMatchObject({
        kind: 'committed',
      });
    });

    test('that goes on leaves an unseen event for the next step', async () => {
      const view = await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      expect(await commit(view, { incorporated: ['e1'] })).toMatchObject({ kind: 'committed' });
      expect((await viewOf(stores)).fence).toMatchObject({ inbox: ['e2'], consumed: ['e1'] });
    });

    test('keeps exactly the ids that are incorporated or unmarked', async () => {
      const first = await claimedSession(stores);
      await commit(first, { incorporated: ['e1'] });
      await stores.inbox.accept(key, anEvent('e2'), now);
      await commit(await claimed(stores, 'b'), { incorporated: ['e2'], unmarked: ['e1'] });
      expect((await viewOf(stores)).fence).toMatchObject({ inbox: [], consumed: ['e1', 'e2'] });
      await commit(await claimed(stores, 'c'), { unmarked: ['e2'] });
      expect((await viewOf(stores)).fence.consumed).toEqual(['e2']);
      await commit(await claimed(stores, 'd'));
      expect((await viewOf(stores)).fence.consumed).toEqual([]);
    });

    test('keeps subscribers that joined meanwhile', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.subscribe(key, 'late');
      expect(await commit(view)).toEqual({ kind: 'committed', subscribers: ['late'] });
      expect((await viewOf(stores)).fence.subscribers).toEqual(['late']);
    });
  });

  describe(`${name}: commit, its response lost`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });

    for (const kind of ['run', 'rest'] as const) {
      const request = kind === 'run' ? commitOf : restOf;

      test(`${kind}: the same commit again is committed, and changes nothing`, async () => {
        const view = await claimedSession(stores);
        await stores.sessions.subscribe(key, 'connection1');
        const first = await stores.sessions.commit(request(view));
        const before = await viewOf(stores);
        expect(await stores.sessions.commit(request(view))).toEqual(first);
        expect(await viewOf(stores)).toEqual(before);
      });

      test(`${kind}: an event that came in between stays`, async () => {
        const view = await claimedSession(stores);
        await stores.sessions.commit(request(view));
        await stores.inbox.accept(key, anEvent('e2'), now + 3);
        const before = await viewOf(stores);
        expect(await stores.sessions.commit(request(view))).toMatchObject({ kind: 'committed' });
        expect(await viewOf(stores)).toEqual(before);
        expect(before.fence.inbox).toContain('e2');
        expect(before.dueAt).toBeDefined();
      });

      test(`${kind}: after the next claim, the session is the claimant's`, async () => {
        const view = await claimedSession(stores);
        await stores.sessions.commit(request(view));
        await stores.inbox.accept(key, anEvent('e2'), now);
        await claimed(stores, 'b');
        const before = await viewOf(stores);
        expect(await stores.sessions.commit(request(view))).toEqual({ kind: 'superseded' });
        expect(await viewOf(stores)).toEqual(before);
      });
    }

    test('a cancel that came in between stays', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view));
      await stores.sessions.cancel(key, now + 3);
      const before = await viewOf(stores);
      expect(await stores.sessions.commit(commitOf(view))).toMatchObject({ kind: 'committed' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('an epoch commits once: a different commit of it is refused', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view));
      const before = await viewOf(stores);
      const otherVersion = commitOf(view, { session: { ...view.session, version: 2, eventSeq: 10 } });
      const otherEvents = commitOf(view, { session: { ...view.session, version: 1, eventSeq: 20 } });
      expect(await stores.sessions.commit(otherVersion)).toEqual({ kind: 'superseded' });
      expect(await stores.sessions.commit(otherEvents)).toEqual({ kind: 'superseded' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('giving a session back unchanged can lose its response too', async () => {
      const view = await claimedSession(stores);
      const asItWas = restOf(view, { session: view.session });
      await stores.sessions.commit(asItWas);
      expect(await stores.sessions.commit(asItWas)).toMatchObject({ kind: 'committed' });
    });
  });

  describe(`${name}: revoke`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    const grant = (id: string) => ({ id, tool: 'pay', level: 'dangerous' as const, by: 'user:ann', at: now });
    const grants = [grant('g1'), grant('g2')];

    test('removes a grant from a session at once, even if a step owns it and commits it again', async () => {
      await restingSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const view = await claimed(stores, 'b');
      expect(await stores.sessions.revoke(key, 'g1')).toBe('revoked');
      expect(await stores.sessions.watch(key)).toMatchObject({ revoked: ['g1'] });
      const rest = restOf(view);
      await stores.sessions.commit({ ...rest, session: { ...rest.session, grants } });
      const after = await viewOf(stores);
      expect(after.session.grants).toEqual([grant('g2')]);
      expect(after.fence.revoked).toEqual(['g1']);
    });

    test('is forgotten only by a commit that says so', async () => {
      await restingSession(stores);
      for (const id of ['g1', 'g2', 'g2']) await stores.sessions.revoke(key, id);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const rest = restOf(await claimed(stores, 'b'));
      await stores.sessions.commit({ ...rest, session: { ...rest.session, grants }, forgotten: ['g2'] });
      const after = await viewOf(stores);
      expect(after.fence.revoked).toEqual(['g1']);
      expect(after.session.grants).toEqual([grant('g2')]);
    });

    test('of a session that does not exist is none', async () => {
      expect(await stores.sessions.revoke(key, 'g1')).toBe('unknown');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });
  });

  describe(`${name}: restore`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });
    const told = [{ text: oddText, internal: { reason: 'restored' } }];
    const to = (workspace?: string) => ({ nudges: told, ...(workspace && { workspace }) });

    test('sets the files of a session at rest and what its model is told, and nothing else', async () => {
      const before = await restingSession(stores);
      expect(await stores.sessions.restore(key, before.session, to('tree1'))).toBe('restored');
      const after = await viewOf(stores);
      expect(after).toEqual({ ...before, session: { ...before.session, ...to('tree1') } });
      expect(await stores.sessions.restore(key, after.session, { nudges: [] })).toBe('restored');
      expect(await viewOf(stores)).toEqual({ ...before, session: { ...before.session, nudges: [] } });
    });

    test('is refused for a running session, and changes nothing', async () => {
      for (const make of [dueSession, claimedSession]) {
        await make(stores);
        const before = await viewOf(stores);
        expect(await stores.sessions.restore(key, before.session, to('tree1'))).toBe('busy');
        expect(await viewOf(stores)).toEqual(before);
        stores = await open();
      }
    });

    test('is refused for a session that waits, for people or for calls', async () => {
      for (const kind of ['wait_for_people', 'wait_for_calls'] as const) {
        const before = await waitingSession(stores, { kind, until: now + 3000 * minutes });
        expect(await stores.sessions.restore(key, before.session, to('tree1'))).toBe('busy');
        expect(await viewOf(stores)).toEqual(before);
        stores = await open();
      }
    });

    test('is refused when another step or another restore came in between', async () => {
      const before = await restingSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      await stores.sessions.commit(restOf(await claimed(stores, 'b')));
      expect(await stores.sessions.restore(key, before.session, to('tree1'))).toBe('busy');
      const after = await viewOf(stores);
      expect(await stores.sessions.restore(key, after.session, to('tree1'))).toBe('restored');
      expect(await stores.sessions.restore(key, after.session, { nudges: [] })).toBe('busy');
      expect((await viewOf(stores)).session.workspace).toBe('tree1');
    });

    test('reports unknown sessions, and creates none', async () => {
      expect(await stores.sessions.restore(key, aSession(), to('tree1'))).toBe('unknown');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });
  });

  describe(`${name}: cancel`, () => {
    let stores: Stores;
    beforeEach(async () => {
      stores = await open();
    });

    test('a session at rest is cancelled while others work for it in the background, and only then', async () => {
      const { background } = full;
      const view = await claimedSession(stores);
      await stores.sessions.commit(
        restOf(view, { session: { ...view.session, ...defined({ background }) } }),
      );
      expect(await stores.sessions.cancel(key, now + 3)).toBe('cancelled');
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 3, fence: { cancelGen: 1 } });
    });

    test('reports unknown sessions and idle ones, and changes neither', async () => {
      expect(await stores.sessions.cancel(key, now)).toBe('unknown');
      expect(await stores.sessions.read(key)).toBeUndefined();
      const before = await restingSession(stores);
      expect(await stores.sessions.cancel(key, now)).toBe('idle');
      expect(await viewOf(stores)).toEqual(before);
    });

    test('is seen by the running step', async () => {
      await claimedSession(stores);
      expect(await stores.sessions.cancel(key, now)).toBe('cancelled');
      expect(await stores.sessions.watch(key)).toEqual({
        epoch: 1,
        cancelGen: 1,
        subscribers: [],
        revoked: [],
      });
    });

    test('leaves the lease to its owner', async () => {
      await claimedSession(stores);
      await stores.sessions.cancel(key, now);
      expect(await claimAs(stores, 'b')).toEqual({ kind: 'leased' });
    });

    test('makes a session that waits for a point in time due', async () => {
      const view = await claimedSession(stores);
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt: now + 3000 * minutes } }));
      expect(await stores.sessions.cancel(key, now + minutes)).toBe('cancelled');
      expect(await overdueAt(stores, now + 11 * minutes)).toHaveLength(1);
      expect(await claimAs(stores, 'b', { at: now + minutes })).toMatchObject({
        kind: 'claimed',
        view: { fence: { cancelGen: 1 }, dueAt: now + minutes },
      });
    });

    test('twice is a new cancel', async () => {
      await dueSession(stores);
      await stores.sessions.cancel(key, now);
      await stores.sessions.cancel(key, now);
      expect((await viewOf(stores)).fence.cancelGen).toBe(2);
    });
  });
}

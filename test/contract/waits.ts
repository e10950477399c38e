import { beforeEach, describe, expect, test } from 'vitest';
import type { BeginResult, CommitRequest } from '../../shared/agent/ports/sessions.ts';
import type { CallStart, Decision } from '../../shared/agent/session/waits.ts';
import type { Next } from '../../shared/agent/session/wake.ts';
import { overdueAt } from '../support/overdue.ts';
import {
  anEvent,
  claimAs,
  claimed,
  claimedSession,
  commitOf,
  key,
  leaseMs,
  minutes,
  now,
  type OpenStores,
  oddText,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';

/** Far in the future, and not a whole minute. */
const until = now + 90 * minutes;
const forPeople: Next = { kind: 'wait_for_people', until };
const forCalls: Next = { kind: 'wait_for_calls', until };

const aDecision = (over: Partial<Decision> = {}): Decision => ({
  approved: true,
  by: 'ana',
  at: now + 5,
  ...over,
});

const aStart = (invocationId: string, over: Partial<CallStart> = {}): CallStart => ({
  invocationId,
  until: now + 5 * minutes,
  ...over,
});

/** How the waits of an open batch are resolved, and how a session waits. */
export function waitContract(name: string, open: OpenStores): void {
  let stores: Stores;
  beforeEach(async () => {
    stores = await open();
  });
  const overdue = async (at: number) => (await overdueAt(stores, at)).length > 0;
  const isUnchanged = async (act: () => Promise<void>) => {
    const before = await viewOf(stores);
    await act();
    expect(await viewOf(stores)).toEqual(before);
  };
  /** Gives the session back unchanged, and its waits with it. */
  const giveBack = async (next: Next, over: Partial<CommitRequest> = {}) =>
    stores.sessions.commit(commitOf(await viewOf(stores), { next, waits: 'keep', ...over }));

  describe(`${name}: decide`, () => {
    const decide = (waitId: string, decision = aDecision()) => stores.sessions.decide(key, waitId, decision);

    test('removes the wait, keeps the decision, and makes the session due now', async () => {
      await waitingSession(stores, forPeople);
      expect(await decide('w1')).toBe('decided');
      const fence = { pending: ['w2'], decisions: { w1: aDecision() }, started: {} };
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 5, fence });
      expect(await claimAs(stores, 'b', { at: now + 4 })).toMatchObject({ kind: 'early', dueAt: now + 5 });
      expect(await claimed(stores, 'b', { at: now + 5 })).toMatchObject({ fence });
    });

    test('of one wait leaves the others open', async () => {
      await waitingSession(stores, forPeople);
      const no = aDecision({ approved: false, by: 'ben', at: now + 9 });
      expect(await decide('w1')).toBe('decided');
      expect(await decide('w2', no)).toBe('decided');
      expect(await viewOf(stores)).toMatchObject({
        dueAt: now + 9,
        fence: { pending: [], decisions: { w1: aDecision(), w2: no } },
      });
    });

    test('has the sweeper look soon, not at the distant expiry', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1');
      expect(await overdue(now + 5 * minutes)).toBe(false);
      expect(await overdue(now + 10 * minutes)).toBe(true);
    });

    test('comes back byte for byte', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1', aDecision({ by: oddText, note: oddText }));
      expect((await viewOf(stores)).fence.decisions).toEqual({
        w1: aDecision({ by: oddText, note: oddText }),
      });
    });

    test('stands: another one is closed, and changes nothing', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1', aDecision({ note: 'fine' }));
      await isUnchanged(async () => {
        for (const over of [{ approved: false }, { by: 'ben' }, { at: now + 6 }, { note: 'go' }]) {
          expect(await decide('w1', aDecision({ note: 'fine', ...over }))).toBe('closed');
        }
        expect(await decide('w1', aDecision())).toBe('closed');
      });
    });

    test('of many that arrive at once, one stands', async () => {
      await waitingSession(stores, forPeople, ['w1']);
      const decisions = ['ana', 'ben', 'cy', 'dee', 'eve'].map((by) => aDecision({ by }));
      const results = await Promise.all(decisions.map((decision) => decide('w1', decision)));
      expect([...results].sort()).toEqual(['closed', 'closed', 'closed', 'closed', 'decided']);
      expect((await viewOf(stores)).fence.decisions).toEqual({ w1: decisions[results.indexOf('decided')] });
    });

    test('whose response was lost is decided, once', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1', aDecision({ note: 'fine' }));
      await isUnchanged(async () => {
        expect(await decide('w1', aDecision({ note: 'fine' }))).toBe('decided');
        expect(await decide('w1', { note: 'fine', at: now + 5, by: 'ana', approved: true })).toBe('decided');
      });
    });

    test('whose response was lost is decided even if a step began in between', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1');
      await claimed(stores, 'b', { at: now + 5 });
      await isUnchanged(async () => expect(await decide('w1')).toBe('decided'));
    });

    test('is busy while a step owns the session, even a dead one, and possible once the session is given back', async () => {
      await waitingSession(stores, forPeople);
      await stores.inbox.accept(key, anEvent('e2'), now);
      await claimed(stores, 'b');
      await isUnchanged(async () => {
        expect(await decide('w1')).toBe('busy');
        expect(await decide('w1', aDecision({ at: now + 2 * leaseMs }))).toBe('busy');
      });
      await giveBack(forPeople);
      expect(await decide('w1')).toBe('decided');
    });

    test('is closed when the wait is not pending', async () => {
      await claimedSession(stores);
      expect(await decide('w1')).toBe('closed');
      await giveBack(forPeople, { waits: ['w1'] });
      await isUnchanged(async () => expect(await decide('w2')).toBe('closed'));
    });

    test('is closed when its batch is, even if it was decided before', async () => {
      await waitingSession(stores, forPeople);
      await decide('w1');
      await claimed(stores, 'b', { at: now + 5 });
      await giveBack({ kind: 'rest' }, { waits: [] });
      await isUnchanged(async () => {
        expect(await decide('w1')).toBe('closed');
        expect(await decide('w2')).toBe('closed');
      });
    });

    test('of an unknown session is unknown, and does not create it', async () => {
      expect(await decide('w1')).toBe('unknown');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('does not reach another tenant’s session', async () => {
      await waitingSession(stores, forPeople);
      await isUnchanged(async () => {
        expect(await stores.sessions.decide({ ...key, tenant: 'globex' }, 'w1', aDecision())).toBe('unknown');
      });
    });
  });

  describe(`${name}: beginCall`, () => {
    const begin = async (
      start: CallStart,
      { waitId = 'w1', again = false, at = now } = {},
    ): Promise<BeginResult['kind']> => (await stores.sessions.beginCall(key, waitId, start, again, at)).kind;

    test('records the start, and nothing else', async () => {
      const before = await waitingSession(stores, forCalls);
      expect(await begin(aStart('x'))).toBe('begun');
      expect(await begin(aStart('y'), { waitId: 'w2' })).toBe('begun');
      const started = { w1: aStart('x'), w2: aStart('y') };
      expect(await viewOf(stores)).toEqual({ ...before, fence: { ...before.fence, started } });
    });

    test('is closed when the call is not pending', async () => {
      await waitingSession(stores, forCalls);
      await isUnchanged(async () => expect(await begin(aStart('x'), { waitId: 'w3' })).toBe('closed'));
      await stores.sessions.finishCall(key, 'w1', now);
      await isUnchanged(async () => {
        expect(await begin(aStart('x'))).toBe('closed');
        expect(await begin(aStart('x'), { again: true, at: until })).toBe('closed');
      });
    });

    test('is closed in an unknown session, and does not create it', async () => {
      expect(await begin(aStart('x'))).toBe('closed');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('is closed while the run is being cancelled, whether it began before or not', async () => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'), { waitId: 'w2' });
      await stores.sessions.cancel(key, now);
      await isUnchanged(async () => {
        expect(await begin(aStart('y'))).toBe('closed');
        expect(await begin(aStart('y'), { waitId: 'w2', again: true, at: until })).toBe('closed');
      });
    });

    test('ignores a cancel that an earlier run has seen', async () => {
      const { session } = await claimedSession(stores);
      await stores.sessions.cancel(key, now);
      const { cancelGen } = (await viewOf(stores)).fence;
      await giveBack(forCalls, { waits: ['w1'], session: { ...session, version: 1, cancelSeen: cancelGen } });
      expect(await begin(aStart('x'))).toBe('begun');
    });

    test('is closed while a step owns the session, even a dead one, and open once the session is given back', async () => {
      await waitingSession(stores, forCalls);
      await claimed(stores, 'b', { at: until });
      await isUnchanged(async () => {
        expect(await begin(aStart('x'), { at: until })).toBe('closed');
        expect(await begin(aStart('x'), { at: until + 2 * leaseMs })).toBe('closed');
      });
      await giveBack(forCalls);
      expect(await begin(aStart('x'))).toBe('begun');
    });

    test.each([true, false])('runs once until its worker must be dead (again: %s)', async (again) => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'), { again });
      await isUnchanged(async () => {
        const at = now + 5 * minutes - 1;
        expect(await begin(aStart('y'), { again, at })).toBe('running');
        expect(await stores.sessions.beginCall(key, 'w1', aStart('z'), again, at)).toMatchObject({
          until: now + 5 * minutes,
        });
      });
    });

    test('is dead when its worker must be dead, for all callers, unless it may start again', async () => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'));
      await isUnchanged(async () => {
        const at = now + 5 * minutes;
        expect(await begin(aStart('y'), { at })).toBe('died');
        expect(await begin(aStart('z'), { at })).toBe('died');
      });
    });

    test('starts again when its worker must be dead, if that is safe, and that start counts', async () => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'), { again: true });
      const at = now + 5 * minutes;
      const second = aStart('y', { until: at + 5 * minutes });
      expect(await begin(second, { again: true, at })).toBe('begun');
      expect((await viewOf(stores)).fence.started).toEqual({ w1: second });
      expect(await begin(aStart('z'), { again: true, at })).toBe('running');
    });

    test.each([true, false])('whose response was lost has begun, once (again: %s)', async (again) => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'), { again });
      await isUnchanged(async () => expect(await begin(aStart('x'), { again })).toBe('begun'));
    });

    test('whose response was lost has begun even if a step began in between', async () => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'));
      await claimed(stores, 'b', { at: until });
      await isUnchanged(async () => {
        expect(await begin(aStart('x'))).toBe('begun');
        expect(await begin(aStart('y'))).toBe('closed');
      });
    });

    test('of many that begin it at once, one succeeds', async () => {
      await waitingSession(stores, forCalls);
      const results = await Promise.all(
        ['v', 'w', 'x', 'y', 'z'].map((invocation) => begin(aStart(invocation))),
      );
      expect([...results].sort()).toEqual(['begun', 'running', 'running', 'running', 'running']);
    });

    test('stays on record through a claim, a finish, and a commit that keeps the waits', async () => {
      await waitingSession(stores, forCalls);
      await begin(aStart('x'));
      await stores.sessions.finishCall(key, 'w1', now);
      const started = { w1: aStart('x') };
      expect(await claimed(stores, 'b', { at: until })).toMatchObject({ fence: { started } });
      await giveBack(forCalls);
      expect((await viewOf(stores)).fence).toMatchObject({ pending: ['w2'], started });
    });
  });

  describe(`${name}: finishCall`, () => {
    const finish = (waitId: string, at = now + 7) => stores.sessions.finishCall(key, waitId, at);

    test('removes the call, and leaves the session to the others', async () => {
      const before = await waitingSession(stores, forCalls);
      expect(await finish('w2')).toBe('more');
      expect(await viewOf(stores)).toEqual({ ...before, fence: { ...before.fence, pending: ['w1'] } });
      expect(await claimAs(stores, 'b', { at: now + 7 })).toMatchObject({ kind: 'early', dueAt: until });
    });

    test('the last one makes the session due now, with the sweeper behind it', async () => {
      await waitingSession(stores, forCalls);
      await finish('w2');
      expect(await finish('w1')).toBe('last');
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 7, fence: { pending: [] } });
      expect(await overdue(now + 5 * minutes)).toBe(false);
      expect(await overdue(now + 10 * minutes)).toBe(true);
      expect(await claimAs(stores, 'b', { at: now + 7 })).toMatchObject({ kind: 'claimed' });
    });

    test('is closed when it was removed before, and changes nothing', async () => {
      await waitingSession(stores, forCalls);
      await finish('w1');
      await isUnchanged(async () => expect(await finish('w1')).toBe('closed'));
      await finish('w2');
      await isUnchanged(async () => {
        expect(await finish('w2', now + 99)).toBe('closed');
        expect(await finish('w3', now + 99)).toBe('closed');
      });
    });

    test('is closed when its batch is', async () => {
      await waitingSession(stores, forCalls);
      await claimed(stores, 'b', { at: until });
      await giveBack({ kind: 'rest' }, { waits: [] });
      await isUnchanged(async () => expect(await finish('w1')).toBe('closed'));
    });

    test('is closed in an unknown session, and does not create it', async () => {
      expect(await finish('w1')).toBe('closed');
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('of two at once, one is the last', async () => {
      await waitingSession(stores, forCalls);
      expect((await Promise.all([finish('w1'), finish('w2')])).sort()).toEqual(['last', 'more']);
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 7, fence: { pending: [] } });
    });

    test('of many at once, each of them twice, one is the last', async () => {
      const waits = ['w1', 'w2', 'w3', 'w4', 'w5'];
      await waitingSession(stores, forCalls, waits);
      const results = await Promise.all([...waits, ...waits].map((waitId) => finish(waitId)));
      const count = (kind: string) => results.filter((result) => result === kind).length;
      expect({ last: count('last'), more: count('more'), closed: count('closed') }).toEqual({
        last: 1,
        more: 4,
        closed: 5,
      });
    });

    test('counts even if a step owns the session, and after a cancel; the lease stays', async () => {
      await waitingSession(stores, forCalls);
      await stores.sessions.cancel(key, now);
      const { leaseUntil } = await claimed(stores, 'b');
      expect(await finish('w1')).toBe('more');
      expect(await finish('w2')).toBe('last');
      expect(await viewOf(stores)).toMatchObject({ leaseUntil, dueAt: now + 7, fence: { pending: [] } });
      expect(await claimAs(stores, 'c', { at: now + 7 })).toEqual({ kind: 'leased' });
    });
  });

  describe(`${name}: waits of a commit`, () => {
    const waits = async () => {
      const { pending, decisions, started } = (await viewOf(stores)).fence;
      return { pending, decisions, started };
    };

    test('a list opens them, without decisions or starts', async () => {
      await waitingSession(stores, forPeople);
      await stores.sessions.beginCall(key, 'w1', aStart('x'), false, now);
      await stores.sessions.decide(key, 'w1', aDecision());
      await claimed(stores, 'b', { at: now + 5 });
      await giveBack(forCalls, { waits: ['w3', 'w1'] });
      expect(await waits()).toEqual({
        pending: ['w1', 'w3'],
        decisions: {},
        started: {},
      });
      expect(await stores.sessions.decide(key, 'w1', aDecision({ by: 'ben' }))).toBe('decided');
    });

    test('are a set', async () => {
      const { fence } = await waitingSession(stores, forCalls, ['w1', 'w1']);
      expect(fence.pending).toEqual(['w1']);
      expect(await stores.sessions.finishCall(key, 'w1', now)).toBe('last');
    });

    test('are kept as they are, with their decisions and starts', async () => {
      await waitingSession(stores, forPeople, ['w1', 'w2', 'w3']);
      await stores.sessions.beginCall(key, 'w2', aStart('x'), false, now);
      await stores.sessions.decide(key, 'w1', aDecision());
      await claimed(stores, 'b', { at: now + 5 });
      await giveBack(forPeople);
      expect(await waits()).toEqual({
        pending: ['w2', 'w3'],
        decisions: { w1: aDecision() },
        started: { w2: aStart('x') },
      });
    });

    test('are kept even if none is left', async () => {
      await waitingSession(stores, forPeople, ['w1']);
      await stores.sessions.decide(key, 'w1', aDecision());
      await claimed(stores, 'b', { at: now + 5 });
      await giveBack({ kind: 'run', dueAt: now });
      expect(await waits()).toEqual({ pending: [], decisions: { w1: aDecision() }, started: {} });
    });

    test('an empty list closes them all', async () => {
      await waitingSession(stores, forPeople);
      await stores.sessions.beginCall(key, 'w2', aStart('x'), false, now);
      await stores.sessions.decide(key, 'w1', aDecision());
      await claimed(stores, 'b', { at: now + 5 });
      await giveBack({ kind: 'run', dueAt: now }, { waits: [] });
      expect(await waits()).toEqual({ pending: [], decisions: {}, started: {} });
    });

    test('of a refused commit stay as they were', async () => {
      const view = await waitingSession(stores, forPeople);
      await isUnchanged(async () => {
        const request = commitOf(view, { next: forCalls, waits: ['w9'] });
        expect(await stores.sessions.commit(request)).toEqual({ kind: 'superseded' });
      });
    });
  });

  describe(`${name}: waiting for people`, () => {
    test('is not due, and is overdue at its end', async () => {
      await waitingSession(stores, forPeople);
      expect(await claimAs(stores, 'b', { at: until })).toMatchObject({
        kind: 'rest',
        view: { fence: { pending: ['w1', 'w2'] } },
      });
      expect((await viewOf(stores)).dueAt).toBeUndefined();
      expect(await overdue(until - 1)).toBe(false);
      expect(await overdueAt(stores, until)).toEqual([await viewOf(stores)]);
    });

    test('that has expired is due when it is postponed, and not overdue until then', async () => {
      await waitingSession(stores, forPeople);
      const minute = until + minutes / 2;
      await stores.sessions.postpone(key, minute, minute + 5 * minutes);
      expect((await viewOf(stores)).dueAt).toBe(minute);
      expect(await overdue(minute + 5 * minutes - 1)).toBe(false);
      expect(await overdue(minute + 5 * minutes)).toBe(true);
      await stores.inbox.accept(key, anEvent('e2'), minute + 4 * minutes);
      expect(await overdue(minute + 5 * minutes)).toBe(true);
      expect(await claimed(stores, 'b', { at: minute })).toMatchObject({ fence: { pending: ['w1', 'w2'] } });
    });

    test('that has not expired cannot be postponed', async () => {
      await waitingSession(stores, forPeople);
      await isUnchanged(() => stores.sessions.postpone(key, until - 1, until + 5 * minutes));
      expect(await overdue(until)).toBe(true);
    });

    test('that a decision ended cannot be postponed by a sweeper that saw it wait', async () => {
      await waitingSession(stores, forPeople);
      const minute = until + minutes / 2;
      await stores.sessions.decide(key, 'w1', aDecision({ at: minute }));
      await isUnchanged(() => stores.sessions.postpone(key, minute, minute + 60 * minutes));
      expect(await overdue(minute + 10 * minutes)).toBe(true);
    });

    test('is refused if an event came unseen', async () => {
      const view = await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      await isUnchanged(async () => {
        const request = commitOf(view, { next: forPeople, waits: ['w1'] });
        expect(await stores.sessions.commit(request)).toMatchObject({
          kind: 'moved',
          fence: { inbox: ['e1', 'e2'], pending: [] },
        });
      });
      expect(await giveBack(forPeople, { waits: ['w1'] })).toMatchObject({ kind: 'committed' });
    });

    test.each([forPeople, forCalls])('is refused if a cancel came unseen: $kind', async (next) => {
      const view = await claimedSession(stores);
      await stores.sessions.cancel(key, now);
      const result = await stores.sessions.commit(commitOf(view, { next, waits: ['w1'] }));
      expect(result).toMatchObject({ kind: 'moved', fence: { cancelGen: 1 } });
    });

    test('is due when a child knocks, and a commit that has missed the knock is refused', async () => {
      await waitingSession(stores, forPeople);
      const seen = (await viewOf(stores)).fence.inboxSeq;
      expect(await stores.sessions.knock(key, now + 7)).toBe('knocked');
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 7, fence: { pending: ['w1', 'w2'] } });
      expect((await viewOf(stores)).fence.inboxSeq).not.toBe(seen);
      const view = await claimed(stores, 'b', { at: now + 8 });
      expect(await stores.sessions.knock(key, now + 9)).toBe('knocked');
      const result = await stores.sessions.commit(commitOf(view, { next: forPeople, waits: ['w1'] }));
      expect(result).toMatchObject({ kind: 'moved' });
      expect((await viewOf(stores)).dueAt).toBe(now + 7);
    });

    test('is left alone by a knock when it is at rest', async () => {
      await claimedSession(stores);
      await giveBack({ kind: 'rest' });
      await isUnchanged(async () => expect(await stores.sessions.knock(key, now + 7)).toBe('idle'));
      expect(await stores.sessions.knock({ ...key, sessionId: 'other' }, now)).toBe('unknown');
    });

    test('is due when a message comes, and the sweeper looks soon; further messages do not postpone it', async () => {
      await waitingSession(stores, forPeople);
      await stores.inbox.accept(key, anEvent('e2'), now + 7);
      expect(await viewOf(stores)).toMatchObject({
        dueAt: now + 7,
        fence: { inbox: ['e2'], pending: ['w1', 'w2'] },
      });
      await stores.inbox.accept(key, anEvent('e3'), now + 9 * minutes);
      expect((await viewOf(stores)).dueAt).toBe(now + 7);
      expect(await overdue(now + 5 * minutes)).toBe(false);
      expect(await overdue(now + 10 * minutes)).toBe(true);
    });

    test('continues until its distant end when it is given back', async () => {
      await waitingSession(stores, forPeople);
      await stores.inbox.accept(key, anEvent('e2'), now);
      await claimed(stores, 'b');
      await giveBack(forPeople);
      expect(await overdue(until - 1)).toBe(false);
      expect(await overdue(until)).toBe(true);
      await stores.inbox.accept(key, anEvent('e3'), now + 20 * minutes);
      expect((await viewOf(stores)).dueAt).toBe(now + 20 * minutes);
      expect(await overdue(now + 25 * minutes)).toBe(false);
      expect(await overdue(now + 30 * minutes)).toBe(true);
    });
  });

  describe(`${name}: waiting for calls`, () => {
    test('is early until its end, and shows what is waited for', async () => {
      const view = await waitingSession(stores, forCalls);
      expect(view).toMatchObject({ dueAt: until, fence: { pending: ['w1', 'w2'] } });
      expect(await claimAs(stores, 'b', { at: until - 1 })).toEqual({ kind: 'early', dueAt: until, view });
      expect(await claimAs(stores, 'b', { at: until })).toMatchObject({ kind: 'claimed' });
    });

    // `dueAt` is the time of the wake on the queue. A wait for calls sends no wake, however near its end is.
    test.each([3, 90])('of %d minutes is overdue one minute after its end', async (length) => {
      const end = now + length * minutes;
      await waitingSession(stores, { kind: 'wait_for_calls', until: end });
      expect(await overdue(end)).toBe(false);
      expect(await overdue(end + minutes / 2)).toBe(true);
    });

    test('is not due when a message comes: the message waits with the calls', async () => {
      await waitingSession(stores, forCalls);
      await stores.inbox.accept(key, anEvent('e2'), now + 7);
      expect(await viewOf(stores)).toMatchObject({ dueAt: until, fence: { inbox: ['e2'] } });
      expect(await overdue(until)).toBe(false);
      expect(await overdue(until + minutes / 2)).toBe(true);
    });

    test('also begins if an event came unseen', async () => {
      const view = await claimedSession(stores);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const result = await stores.sessions.commit(commitOf(view, { next: forCalls, waits: ['w1'] }));
      expect(result).toMatchObject({ kind: 'committed' });
      expect(await viewOf(stores)).toMatchObject({ dueAt: until, fence: { inbox: ['e1', 'e2'] } });
    });
  });

  describe(`${name}: cancel of a wait`, () => {
    test.each([forPeople, forCalls])(
      'makes the session due, and the sweeper look soon: $kind',
      async (next) => {
        await waitingSession(stores, next);
        expect(await stores.sessions.cancel(key, now + 7)).toBe('cancelled');
        expect(await viewOf(stores)).toMatchObject({
          dueAt: now + 7,
          fence: { cancelGen: 1, pending: ['w1', 'w2'] },
        });
        expect(await overdue(now + 5 * minutes)).toBe(false);
        expect(await overdue(now + 10 * minutes)).toBe(true);
        expect(await claimAs(stores, 'b', { at: now + 7 })).toMatchObject({ kind: 'claimed' });
      },
    );
  });
}

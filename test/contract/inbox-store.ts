import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_INBOX } from '../../shared/agent/ports/inbox.ts';
import { noTotals } from '../../shared/agent/session/session.ts';
import {
  anEvent,
  aSession,
  claimed,
  commitOf,
  key,
  minutes,
  now,
  type OpenStores,
  oddText,
  ofBytes,
  restingSession,
  restOf,
  type Stores,
  viewOf,
} from './harness.ts';

/** The contract of `InboxStore`, together with the `SessionStore` next to it. */
export function inboxStoreContract(name: string, open: OpenStores): void {
  let stores: Stores;
  beforeEach(async () => {
    stores = await open();
  });
  const accept = (id: string, over = {}, at = now) => stores.inbox.accept(key, anEvent(id, over), at);
  const pending = async () => (await viewOf(stores)).fence.inbox;
  /** Does what a step does: incorporates everything that waits, and rests. */
  const incorporate = async (invocation: string, unmarked: string[] = []) => {
    const view = await claimed(stores, invocation);
    await stores.sessions.commit(restOf(view, { unmarked }));
  };

  /** The list entry of a session that an event has made due and that no step owns. */
  const began = { agent: 'triage', state: 'running', steps: 0, totals: noTotals, at: now, order: 1 };

  describe(`${name}: accept`, () => {
    test('keeps the event, tells the session, and wakes it with hints', async () => {
      await stores.sessions.create(aSession({ version: 5, contextStart: 3 }));
      expect(await accept('e1')).toEqual({
        kind: 'accepted',
        wake: { ...key, hint: { version: 5, from: 3, definition: 'hash1', inbox: ['e1'] } },
        began,
      });
      expect(await stores.inbox.read(key, ['e1'])).toEqual([anEvent('e1')]);
      expect(await viewOf(stores)).toMatchObject({ dueAt: now, fence: { inbox: ['e1'], inboxSeq: 1 } });
    });

    test('wakes a session with packs to read what follows them', async () => {
      await stores.sessions.create(aSession({ version: 9, contextStart: 3, packed: { id: 'p1', below: 7 } }));
      expect(await accept('e1')).toMatchObject({ wake: { hint: { version: 9, from: 7 } } });
    });

    test('keeps which event one takes back', async () => {
      await stores.sessions.create(aSession());
      await accept('e1');
      await accept('e2', { withdraws: 'e1' });
      expect(await stores.inbox.read(key, ['e1', 'e2'])).toEqual([
        anEvent('e1'),
        anEvent('e2', { withdraws: 'e1' }),
      ]);
    });

    test('keeps whose report an event is', async () => {
      const used = { ...noTotals, input: 7, costUsd: 1e-9 };
      const report = { id: 'w1', slot: 3, sessionId: 'cw1', used, quiet: true as const };
      await stores.sessions.create(aSession());
      await accept('e1', { internal: 'report', report });
      expect(await stores.inbox.read(key, ['e1'])).toEqual([anEvent('e1', { internal: 'report', report })]);
    });

    test('T6: keeps until when the summary of a run is waited for', async () => {
      const asked = { control: 'wrap_up', runId: 's1-0', until: now + 60_000 } as const;
      await stores.sessions.create(aSession());
      await accept('e1', asked);
      expect(await stores.inbox.read(key, ['e1'])).toEqual([anEvent('e1', asked)]);
    });

    test('T6: keeps what an event asks of the run, also after the run', async () => {
      await stores.sessions.create(aSession());
      await accept('e1', { control: 'wrap_up', runId: 's1-0' });
      await accept('e2');
      expect(await stores.inbox.read(key, ['e1', 'e2'])).toMatchObject([
        { control: 'wrap_up', runId: 's1-0' },
        { id: 'e2' },
      ]);
      expect((await stores.inbox.read(key, ['e2']))[0]).not.toHaveProperty('control');
      await stores.inbox.markDone(key, ['e1']);
      expect(await stores.inbox.read(key, ['e1'])).toMatchObject([
        { control: 'wrap_up', runId: 's1-0', done: true, text: '' },
      ]);
    });

    test('keeps the author of an event from the first attempt', async () => {
      await stores.sessions.create(aSession());
      await accept('e1', { by: 'user:ada' });
      await accept('e1', { by: 'user:bob' });
      await accept('e2');
      expect(await stores.inbox.read(key, ['e1'])).toMatchObject([{ by: 'user:ada' }]);
      expect((await stores.inbox.read(key, ['e2']))[0]).not.toHaveProperty('by');
    });

    test('keeps how senders were verified', async () => {
      await stores.sessions.create(aSession());
      const caller = { kind: 'jwt', roles: ['finance'], channel: 'http' } as const;
      await accept('e1', { by: 'user:ada', caller });
      await accept('e2', { by: 'slack:T1:U1', caller: { kind: 'slack', channel: 'slack' } });
      expect(await stores.inbox.read(key, ['e1', 'e2'])).toMatchObject([
        { caller },
        { caller: { kind: 'slack', channel: 'slack' } },
      ]);
      await stores.inbox.markDone(key, ['e1']);
      expect(await stores.inbox.read(key, ['e1'])).toMatchObject([{ done: true, caller }]);
    });

    test('announces everything that waits', async () => {
      await stores.sessions.create(aSession());
      await accept('e2');
      expect(await accept('e1')).toMatchObject({ kind: 'accepted', wake: { hint: { inbox: ['e1', 'e2'] } } });
    });

    test('keeps the time at which a session is due', async () => {
      await stores.sessions.create(aSession());
      await accept('e1', {}, now);
      await accept('e2', {}, now + 5);
      expect(await viewOf(stores)).toMatchObject({ dueAt: now, fence: { inbox: ['e1', 'e2'], inboxSeq: 2 } });
      const dueAt = now + 30 * minutes;
      await stores.sessions.commit(commitOf(await claimed(stores, 'a'), { next: { kind: 'run', dueAt } }));
      await accept('e3', {}, now + 10);
      expect((await viewOf(stores)).dueAt).toBe(dueAt);
    });

    test('an unknown session is unknown, and is not created', async () => {
      expect(await accept('e1')).toEqual({ kind: 'unknown' });
      expect(await stores.sessions.read(key)).toBeUndefined();
    });

    test('an event that came before its session is added when it comes again', async () => {
      await accept('e1');
      await stores.sessions.create(aSession());
      expect(await accept('e1')).toMatchObject({ wake: { hint: { inbox: ['e1'] } } });
      expect(await pending()).toEqual(['e1']);
    });

    test('many at once all arrive', async () => {
      await stores.sessions.create(aSession());
      const ids = Array.from({ length: 20 }, (_, i) => `e${10 + i}`);
      const results = await Promise.all(ids.map((id) => accept(id)));
      expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
      expect(await pending()).toEqual(ids);
    });
  });

  describe(`${name}: accept, a replay`, () => {
    beforeEach(async () => {
      await stores.sessions.create(aSession());
      await accept('e1');
    });

    test('of a waiting event wakes again, and keeps the first text', async () => {
      expect(await accept('e1', { text: 'other', at: now + 9 })).toEqual({
        kind: 'duplicate',
        wake: { ...key, hint: { version: 0, from: 0, definition: 'hash1', inbox: ['e1'] } },
        began,
      });
      expect(await stores.inbox.read(key, ['e1'])).toEqual([anEvent('e1')]);
      expect(await pending()).toEqual(['e1']);
    });

    test('with other content is a conflict, and changes nothing', async () => {
      const before = await viewOf(stores);
      expect(await accept('e1', { digest: 'other' })).toEqual({ kind: 'conflict' });
      expect(await viewOf(stores)).toEqual(before);
      await incorporate('a');
      await stores.inbox.markDone(key, ['e1']);
      expect(await accept('e1', { digest: 'other' })).toEqual({ kind: 'conflict' });
    });

    test('at the same time is accepted once', async () => {
      const results = await Promise.all(['e2', 'e2', 'e2'].map((id) => accept(id)));
      expect(results.map(({ kind }) => kind).sort()).toEqual(['accepted', 'duplicate', 'duplicate']);
      expect(await pending()).toEqual(['e1', 'e2']);
    });

    test('after a crash between the two writes tells the session', async () => {
      stores.duringNextAccept(() => Promise.reject(new Error('crash')));
      await expect(accept('e2')).rejects.toThrow('crash');
      expect(await pending()).toEqual(['e1']);
      expect(await accept('e2')).toMatchObject({
        kind: 'duplicate',
        wake: { hint: { inbox: ['e1', 'e2'] } },
      });
    });

    test('of an incorporated event that is not marked yet changes nothing', async () => {
      await incorporate('a');
      const before = await viewOf(stores);
      expect(before.fence.consumed).toEqual(['e1']);
      expect(await accept('e1')).toEqual({ kind: 'duplicate' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('of an incorporated event that is still among the unmarked changes nothing', async () => {
      await incorporate('a');
      await accept('e2');
      await incorporate('b', ['e1']);
      const before = await viewOf(stores);
      expect(await accept('e1')).toEqual({ kind: 'duplicate' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('of an event that is marked done changes nothing once the session has forgotten it', async () => {
      await incorporate('a');
      await stores.inbox.markDone(key, ['e1']);
      await accept('e2');
      await incorporate('b');
      const before = await viewOf(stores);
      expect(before.fence.consumed).toEqual(['e2']);
      expect(await accept('e1')).toEqual({ kind: 'duplicate' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('that began before the event was incorporated, and ends after it, changes nothing', async () => {
      let before: unknown;
      stores.duringNextAccept(async () => {
        await incorporate('a');
        before = await viewOf(stores);
      });
      expect(await accept('e1')).toEqual({ kind: 'duplicate' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('that began before the event was marked, and ends while the session still knows it, changes nothing', async () => {
      const known = { ids: ['e0', 'e1'], at: now };
      let before: unknown;
      stores.duringNextAccept(async () => {
        await incorporate('a');
        await stores.inbox.markDone(key, ['e1']);
        await accept('e2');
        const view = await claimed(stores, 'b');
        await stores.sessions.commit(restOf(view, { known }));
        before = await viewOf(stores);
        expect(before).toMatchObject({ fence: { consumed: ['e2'], inbox: [], known } });
      });
      expect(await accept('e1')).toEqual({ kind: 'duplicate' });
      expect(await viewOf(stores)).toEqual(before);
      expect((await viewOf(stores)).dueAt).toBeUndefined();
    });

    test('that began before the event was marked, and ends after the session forgot it, shows it done', async () => {
      stores.duringNextAccept(async () => {
        await incorporate('a');
        await stores.inbox.markDone(key, ['e1']);
        await accept('e2');
        await incorporate('b');
      });
      expect(await accept('e1')).toMatchObject({ kind: 'duplicate', wake: { hint: { inbox: ['e1'] } } });
      expect(await stores.inbox.read(key, await pending())).toMatchObject([{ id: 'e1', done: true }]);
    });
  });

  describe(`${name}: a full inbox`, () => {
    const ids = Array.from({ length: MAX_INBOX }, (_, i) => `e${100 + i}`);
    beforeEach(async () => {
      await stores.sessions.create(aSession());
      await Promise.all(ids.slice(1).map((id) => accept(id)));
    });

    test('takes no more than the limit', async () => {
      const taken = await accept('e100');
      // More than a few events are not named: the step that claims the session then reads them.
      expect(taken).toEqual({
        kind: 'accepted',
        wake: { ...key, hint: { version: 0, from: 0, definition: 'hash1' } },
        began,
      });
      expect(await pending()).toEqual(ids);
      const before = await viewOf(stores);
      expect(await accept('more')).toEqual({ kind: 'full' });
      expect(await viewOf(stores)).toEqual(before);
    });

    test('takes replays of events that wait or that it has consumed', async () => {
      await accept('e100');
      expect(await accept('e150')).toMatchObject({ kind: 'duplicate', wake: key });
      const view = await claimed(stores, 'a');
      await stores.sessions.commit(commitOf(view, { incorporated: ['e100'] }));
      await accept('e200');
      expect(await accept('e100')).toEqual({ kind: 'duplicate' });
    });

    test('takes events that it refused earlier when there is room again', async () => {
      await accept('e100');
      await accept('more');
      await incorporate('a');
      expect(await accept('more')).toMatchObject({ wake: { hint: { inbox: ['more'] } } });
      expect(await stores.inbox.read(key, ['more'])).toEqual([anEvent('more')]);
    });
  });

  describe(`${name}: more than an inbox takes`, () => {
    const ids = Array.from({ length: MAX_INBOX }, (_, i) => `e${100 + i}`);
    /** Kept for a sender that sends nothing twice. */
    const keep = (id: string, at = now) => stores.inbox.accept(key, anEvent(id, { at }), at, 'keep');
    const names = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `more${from + i}`);
    /** Does what a step does: claims, admits as many as there is room for, incorporates the inbox, and continues. */
    const step = async (invocation: string) => {
      const view = await claimed(stores, invocation, { at: now + minutes });
      const fence = await stores.inbox.refill(key, view.fence);
      const waiting = await stores.inbox.read(key, fence.inbox);
      const next = fence.overflow ? ({ kind: 'run', dueAt: now } as const) : ({ kind: 'rest' } as const);
      const { incorporated, unmarked } = { incorporated: fence.inbox, unmarked: fence.consumed };
      const over = { seen: fence, incorporated, unmarked, next };
      const { kind } = await stores.sessions.commit(commitOf(view, over));
      return { kind, overflow: fence.overflow, ids: waiting.filter(({ done }) => !done).map(({ id }) => id) };
    };
    beforeEach(async () => {
      await stores.sessions.create(aSession());
      for (const id of ids) await keep(id);
    });

    test('waits next to it, and enters in order of arrival', async () => {
      for (const [i, id] of names(10, 20).entries())
        expect(await keep(id, now + i)).toMatchObject({ kind: 'accepted', wake: key });
      expect(await viewOf(stores)).toMatchObject({ fence: { inbox: ids, overflow: true } });
      expect(await step('a')).toMatchObject({ ids, overflow: true, kind: 'committed' });
      // There is room, but new events do not pass those that wait.
      expect(await accept('pushy')).toEqual({ kind: 'full' });
      expect(await keep('last', now + 50)).toMatchObject({ kind: 'accepted' });
      expect(await step('b')).toMatchObject({ ids: [...names(10, 20), 'last'], overflow: false });
      expect(await viewOf(stores)).toMatchObject({ fence: { inbox: [], overflow: false } });
      expect((await viewOf(stores)).dueAt).toBeUndefined();
      expect(await keep('direct')).toMatchObject({ wake: { hint: { inbox: ['direct'] } } });
    });

    test('enters one inbox at a time', async () => {
      const many = names(100, 100 + MAX_INBOX + 5);
      for (const [i, id] of many.entries()) await keep(id, now + i);
      await step('a');
      expect(await step('b')).toMatchObject({ ids: many.slice(0, MAX_INBOX), overflow: true });
      expect(await step('c')).toMatchObject({ ids: many.slice(MAX_INBOX), overflow: false });
    });

    test('wakes a session at rest; the first time it is no duplicate, and again it is one', async () => {
      expect(await keep('more1')).toMatchObject({ kind: 'accepted' });
      expect(await keep('more1', now + 9)).toMatchObject({ kind: 'duplicate', wake: key });
      await step('a');
      expect(await keep('more1')).toMatchObject({ kind: 'duplicate', wake: key });
      expect(await step('b')).toMatchObject({ ids: ['more1'] });
      expect(await keep('more1')).toEqual({ kind: 'duplicate' });
      await stores.inbox.markDone(key, ['more1']);
      expect(await keep('more1')).toEqual({ kind: 'duplicate' });
      expect((await viewOf(stores)).dueAt).toBeUndefined();
    });

    test('that was cut short by a crash is kept when it comes again', async () => {
      stores.duringNextAccept(() => Promise.reject(new Error('crash')));
      await expect(keep('more1')).rejects.toThrow('crash');
      expect((await viewOf(stores)).fence.overflow).toBe(false);
      expect(await keep('more1')).toMatchObject({ kind: 'duplicate', wake: key });
      await step('a');
      expect(await step('b')).toMatchObject({ ids: ['more1'], overflow: false });
    });

    test('that comes while others are admitted is not forgotten', async () => {
      await keep('more1');
      await step('a');
      const view = await claimed(stores, 'b', { at: now + minutes });
      await keep('more2', now + 1);
      const fence = await stores.inbox.refill(key, view.fence);
      expect(fence).toMatchObject({ inbox: ['more1', 'more2'], overflow: true });
      const over = { seen: fence, incorporated: fence.inbox };
      await stores.sessions.commit(commitOf(view, over));
      expect(await step('c')).toMatchObject({ ids: [], overflow: false });
    });

    test('is admitted by the owner only', async () => {
      await keep('more1');
      const { fence } = await claimed(stores, 'a', { leaseMs: 1 });
      await stores.sessions.commit(
        commitOf(await claimed(stores, 'b', { at: now + minutes }), { incorporated: ids }),
      );
      expect(await stores.inbox.refill(key, { ...fence, inbox: [] })).toMatchObject({ inbox: [] });
      expect((await viewOf(stores)).fence).toMatchObject({ inbox: [], overflow: true });
      expect(await step('c')).toMatchObject({ ids: ['more1'] });
    });

    test('of a session that does not exist is unknown', async () => {
      expect(await stores.inbox.accept({ ...key, sessionId: 's9' }, anEvent('e1'), now, 'keep')).toEqual({
        kind: 'unknown',
      });
    });
  });

  describe(`${name}: events`, () => {
    test('are read by time, then id, if they exist', async () => {
      await stores.sessions.create(aSession());
      await accept('late', { at: now + 2 });
      await accept('b');
      await accept('a');
      const read = await stores.inbox.read(key, ['late', 'b', 'missing', 'a', 'b']);
      expect(read.map(({ id }) => id)).toEqual(['a', 'b', 'late']);
      expect(await stores.inbox.read(key, [])).toEqual([]);
      expect(await stores.inbox.read({ ...key, sessionId: 's2' }, ['a'])).toEqual([]);
    });

    test('keep any text and any id', async () => {
      await stores.sessions.create(aSession());
      const id = 'évent #1 | I#x';
      await accept(id, { text: oddText });
      await accept('large', { text: ofBytes(500_000), at: now + 1 });
      const [odd, large] = await stores.inbox.read(key, [id, 'large']);
      expect(odd?.text).toBe(oddText);
      expect(large?.text).toBe(ofBytes(500_000));
    });

    test('marked done have no text, and are still known', async () => {
      await restingSession(stores);
      await stores.inbox.markDone(key, ['e1', 'missing']);
      await stores.inbox.markDone(key, ['e1']);
      await stores.inbox.markDone(key, []);
      expect(await stores.inbox.read(key, ['e1', 'missing'])).toEqual([
        anEvent('e1', { text: '', done: true }),
      ]);
    });

    test('marked done may have been large', async () => {
      await stores.sessions.create(aSession());
      await accept('large', { text: ofBytes(500_000) });
      await stores.inbox.markDone(key, ['large']);
      expect(await stores.inbox.read(key, ['large'])).toEqual([anEvent('large', { text: '', done: true })]);
    });
  });
}

import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CallbackToken,
  type LaterAnswers,
  type Settled,
  TOLD_EVERY_MS,
} from '../../shared/agent/ports/callbacks.ts';
import type { Next } from '../../shared/agent/session/wake.ts';
import {
  anEvent,
  aResult,
  claimed,
  commitOf,
  key,
  minutes,
  now,
  oddText,
  ofBytes,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';

const forPeople: Next = { kind: 'wait_for_people', until: now + 90 * minutes };

const aGrant = (over: Partial<CallbackToken> = {}): CallbackToken => ({
  ...key,
  slot: 4,
  callId: 'c1',
  name: 'export_data',
  id: 'a1',
  expiresAt: now + 1000,
  ...over,
});

const anAnswer = (content: string, digest = `of ${content.slice(0, 9)}`): Settled => ({
  result: aResult('c1', content),
  digest,
});

/** The contract of `LaterAnswers`. */
export function laterContract(
  name: string,
  open: () => Promise<Stores & { readonly later: LaterAnswers }>,
): void {
  let stores: Stores;
  let later: LaterAnswers;
  beforeEach(async () => {
    const opened = await open();
    stores = opened;
    later = opened.later;
  });
  const isUnchanged = async (act: () => Promise<void>) => {
    const before = await viewOf(stores);
    await act();
    expect(await viewOf(stores)).toEqual(before);
  };

  describe(`${name}: grants`, () => {
    test('are found by the hash of their token only', async () => {
      await later.grant('h1', aGrant());
      await later.grant('h2', aGrant({ callId: oddText, name: 'other' }));
      expect(await later.granted('h1')).toEqual(aGrant());
      expect(await later.granted('h2')).toEqual(aGrant({ callId: oddText, name: 'other' }));
      for (const hash of ['', 'h', 'h12', 'H1', '__proto__', 'constructor'])
        expect(await later.granted(hash)).toBeUndefined();
    });

    test('that are stored twice count once', async () => {
      await later.grant('h1', aGrant());
      await later.grant('h1', aGrant());
      expect(await later.granted('h1')).toEqual(aGrant());
    });

    test('are found after they expire, so that a late caller is told so', async () => {
      await later.grant('h1', aGrant({ expiresAt: now - 86_400_000 }));
      expect(await later.granted('h1')).toMatchObject({ expiresAt: now - 86_400_000 });
    });

    test('lead to a URL that ends with the token', () => {
      expect(later.urlOf('slt_abc')).toMatch(/^https?:\/\/[^/]+\/callbacks\/slt_abc$/);
    });
  });

  describe(`${name}: progress messages about a call`, () => {
    test('are limited to one a second per token, and none is counted for an unknown token', async () => {
      await later.grant('h1', aGrant());
      await later.grant('h2', aGrant());
      const came = await Promise.all([1, 2, 3].map(() => later.countTold('h1', now)));
      expect(came.sort()).toEqual(['may', 'too_soon', 'too_soon']);
      expect(await later.countTold('h1', now + TOLD_EVERY_MS - 1)).toBe('too_soon');
      expect(await later.countTold('h2', now + 1)).toBe('may');
      expect(await later.countTold('h1', now + TOLD_EVERY_MS)).toBe('may');
      expect(await later.countTold('h3', now)).toBe('too_many');
      expect(await later.granted('h1')).toEqual(aGrant());
    });
  });

  describe(`${name}: settle`, () => {
    test('the first outcome stands, and every later one gets it back', async () => {
      expect(await later.settle(key, 'a1', anAnswer('one'))).toEqual({
        stands: anAnswer('one'),
        first: true,
      });
      expect(await later.settle(key, 'a1', anAnswer('two'))).toEqual({
        stands: anAnswer('one'),
        first: false,
      });
      expect(await later.settled(key, ['a1'])).toEqual({ a1: anAnswer('one') });
    });

    test('of many that arrive at once one stands, and all get the same back', async () => {
      const all = ['one', 'two', 'three', 'four', 'five'].map((content) => anAnswer(content));
      const came = await Promise.all(all.map((one) => later.settle(key, 'a1', one)));
      expect(came.filter(({ first }) => first)).toHaveLength(1);
      expect(new Set(came.map(({ stands }) => stands.result.content)).size).toBe(1);
    });

    test('keeps what JSON, UTF-8 and items may trip over, and what is larger than an item', async () => {
      await later.settle(key, 'a1', anAnswer(oddText));
      await later.settle(key, 'a2', anAnswer(ofBytes(600_000)));
      const found = await later.settled(key, ['a1', 'a2']);
      expect(found.a1?.result.content).toBe(oddText);
      expect(found.a2?.result.content).toBe(ofBytes(600_000));
      expect((await later.settle(key, 'a2', anAnswer('x'))).stands.result.content).toBe(ofBytes(600_000));
    });

    test('returns the outcomes that are asked for, and none of another session or tenant', async () => {
      await later.settle(key, 'a1', anAnswer('one'));
      await later.settle(key, 'a2', { result: aResult('c2') });
      expect(await later.settled(key, ['a2', 'a3', 'constructor'])).toEqual({
        a2: { result: aResult('c2') },
      });
      expect(await later.settled(key, [])).toEqual({});
      expect(await later.settled({ ...key, sessionId: 's2' }, ['a1'])).toEqual({});
      expect(await later.settled({ ...key, tenant: 'globex' }, ['a1'])).toEqual({});
      expect(await later.settle({ ...key, tenant: 'globex' }, 'a1', anAnswer('two'))).toMatchObject({
        first: true,
      });
    });
  });
  describe(`${name}: resolve`, () => {
    test('removes the wait, makes the session due now, and is seen by a step that would end it', async () => {
      const before = await waitingSession(stores, forPeople, ['w1', 'w2']);
      expect(await later.resolve(key, 'w1', now + 5)).toBe('resolved');
      const after = await viewOf(stores);
      expect(after).toMatchObject({ dueAt: now + 5, fence: { pending: ['w2'], decisions: {} } });
      expect(after.fence.inboxSeq).not.toBe(before.fence.inboxSeq);
      expect(await later.resolve(key, 'w2', now + 6)).toBe('resolved');
      expect((await viewOf(stores)).fence.pending).toEqual([]);
    });

    test('of something that is not waited for is closed, and changes nothing', async () => {
      await waitingSession(stores, forPeople, ['w1']);
      await isUnchanged(async () => expect(await later.resolve(key, 'w2', now)).toBe('closed'));
      await later.resolve(key, 'w1', now);
      await isUnchanged(async () => expect(await later.resolve(key, 'w1', now + 9)).toBe('closed'));
      expect(await later.resolve({ ...key, tenant: 'globex' }, 'w1', now)).toBe('closed');
    });

    test('while a step owns the session keeps that step from ending it unseen', async () => {
      await waitingSession(stores, forPeople, ['w1']);
      await stores.inbox.accept(key, anEvent('e2'), now);
      const view = await claimed(stores, 'b');
      expect(await later.resolve(key, 'w1', now)).toBe('resolved');
      expect(await stores.sessions.commit(commitOf(view, { next: forPeople, waits: 'keep' }))).toMatchObject({
        kind: 'moved',
        fence: { pending: [] },
      });
    });

    test('of many that come at once, one resolves', async () => {
      await waitingSession(stores, forPeople, ['w1']);
      const all = await Promise.all([1, 2, 3, 4].map(() => later.resolve(key, 'w1', now)));
      expect([...all].sort()).toEqual(['closed', 'closed', 'closed', 'resolved']);
    });
  });
}

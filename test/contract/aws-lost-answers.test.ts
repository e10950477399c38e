import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nothing } from '../../shared/agent/budgets/amount.ts';
import { tenantBudgets } from '../../shared/agent/budgets/tenant-budgets.ts';
import { newDestination, type OutboundStore } from '../../shared/agent/outbound/destination.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { runningKey } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { overdueAt } from '../support/overdue.ts';
import { openAwsBudgets, openAwsLater, openAwsStores } from './aws-stores.ts';
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
  now,
  restingSession,
  restOf,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';
import { leftOf, reserved } from './tenant-budgets.ts';

/**
 * The SDK retries a write whose response is lost. Here the first response to every write is lost after the write was
 * applied. Callers must see, and the store must hold, the same as if it had been applied once.
 */
describe('aws, the first response to every write lost', () => {
  let aws: EmbeddedAws;
  let stores: Stores;
  let lossy: Stores;
  let outbound: OutboundStore;

  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    const opened = await openAwsStores(aws);
    stores = opened;
    lossy = opened.over(loseFirstAnswers(aws.newDynamoClient()));
    outbound = createOutbound(createDynamo(loseFirstAnswers(aws.newDynamoClient()), opened.tableName));
  });

  test('a session is created', async () => {
    expect(await lossy.sessions.create(aSession())).toEqual({ kind: 'exists', session: aSession() });
    expect((await viewOf(stores)).session).toEqual(aSession());
  });

  test('a claim is counted once', async () => {
    await dueSession(stores);
    expect(await claimAs(lossy, 'a')).toMatchObject({
      kind: 'claimed',
      view: { attempts: 1, fence: { epoch: 1 } },
    });
    expect(await viewOf(stores)).toMatchObject({ attempts: 1, fence: { epoch: 1 } });
  });

  test('the outcome of a call is kept once, as it was sent', async () => {
    const table = (await openAwsStores(aws)).tableName;
    const once = openAwsLater(aws, loseFirstAnswers(aws.newDynamoClient()), table);
    const settled = { result: aResult('c1'), digest: 'd1' };
    expect(await once.settle(key, 'a1', settled)).toEqual({ stands: settled, first: false });
    expect(await once.settled(key, ['a1'])).toEqual({ a1: settled });
  });

  test('a call that was answered from outside leaves the waits', async () => {
    const opened = await openAwsStores(aws);
    stores = opened;
    await waitingSession(stores, { kind: 'wait_for_people', until: now + minutes }, ['w1', 'w2']);
    const once = openAwsLater(aws, loseFirstAnswers(aws.newDynamoClient()), opened.tableName);
    expect(await once.resolve(key, 'w1', now)).toBe('closed');
    expect((await viewOf(stores)).fence.pending).toEqual(['w2']);
    expect((await viewOf(stores)).dueAt).toBe(now);
  });

  test('a refused claim is refused', async () => {
    await claimedSession(stores);
    expect(await claimAs(lossy, 'b')).toEqual({ kind: 'leased' });
  });

  test('a fence is recorded, once', async () => {
    await claimedSession(stores);
    expect(await lossy.sessions.fence(key, 1, 0, ['c1', 'c2'])).toBe('fenced');
    await claimed(stores, 'b', { at: now + leaseMs });
    expect(await lossy.sessions.fence(key, 2, 0, ['c2'])).toBe('refused');
  });

  test('slots and results are written', async () => {
    expect(await lossy.sessions.putSlot(key, 1, aSlot(0))).toBe('put');
    await lossy.sessions.putResult(key, 1, aResult('c1'));
    expect(await stores.sessions.slots(key, 0)).toEqual([{ epoch: 1, slot: aSlot(0) }]);
    expect(await stores.sessions.results(key, 1)).toEqual([aResult('c1')]);
  });

  for (const [kind, request] of Object.entries({ run: commitOf, rest: restOf })) {
    test(`a commit that would ${kind} is committed`, async () => {
      const view = await claimedSession(stores);
      await stores.sessions.subscribe(key, 'connection1');
      const result = await lossy.sessions.commit(request(view, { incorporated: ['e1'] }));
      expect(result).toEqual({ kind: 'committed', subscribers: ['connection1'] });
      expect(await viewOf(stores)).toMatchObject({
        session: { version: 1 },
        fence: { inbox: [], consumed: ['e1'] },
      });
    });
  }

  test('a refused commit is refused', async () => {
    const view = await claimedSession(stores);
    await stores.sessions.cancel(key, now);
    expect(await lossy.sessions.commit(commitOf(view))).toMatchObject({
      kind: 'moved',
      fence: { cancelGen: 1 },
    });
  });

  const until = now + 90 * minutes;
  for (const kind of ['wait_for_people', 'wait_for_calls'] as const) {
    test(`a commit that would ${kind} is committed, and opens its waits`, async () => {
      const view = await claimedSession(stores);
      const request = commitOf(view, { next: { kind, until }, waits: ['w1', 'w2'], incorporated: ['e1'] });
      expect(await lossy.sessions.commit(request)).toEqual({ kind: 'committed', subscribers: [] });
      expect((await viewOf(stores)).fence.pending).toEqual(['w1', 'w2']);
    });
  }

  describe('a decision', () => {
    const decision = { approved: true, by: 'ana', at: now + 5, note: 'fine' };
    beforeEach(() => waitingSession(stores, { kind: 'wait_for_people', until }));

    test('is made', async () => {
      expect(await lossy.sessions.decide(key, 'w1', decision)).toBe('decided');
      expect(await viewOf(stores)).toMatchObject({
        dueAt: now + 5,
        fence: { pending: ['w2'], decisions: { w1: decision } },
      });
    });

    test('that comes second is closed', async () => {
      await stores.sessions.decide(key, 'w1', decision);
      expect(await lossy.sessions.decide(key, 'w1', { ...decision, approved: false })).toBe('closed');
      expect((await viewOf(stores)).fence.decisions).toEqual({ w1: decision });
    });

    test('is busy while a step owns the session', async () => {
      await stores.inbox.accept(key, anEvent('e2'), now);
      await claimed(stores, 'b');
      expect(await lossy.sessions.decide(key, 'w1', decision)).toBe('busy');
    });
  });

  describe('a queued call', () => {
    const start = { invocationId: 'x', until: now + 5 * minutes };
    beforeEach(() => waitingSession(stores, { kind: 'wait_for_calls', until }));

    for (const again of [true, false]) {
      test(`has begun, once (again: ${again})`, async () => {
        expect(await lossy.sessions.beginCall(key, 'w1', start, again, now)).toEqual({ kind: 'begun' });
        expect((await viewOf(stores)).fence.started).toEqual({ w1: start });
      });
    }

    test('has begun again, once', async () => {
      await stores.sessions.beginCall(key, 'w1', start, true, now);
      const second = { invocationId: 'y', until: now + 10 * minutes };
      expect(await lossy.sessions.beginCall(key, 'w1', second, true, start.until)).toEqual({ kind: 'begun' });
      expect((await viewOf(stores)).fence.started).toEqual({ w1: second });
    });

    test('that another worker runs is running, and is dead when that worker is', async () => {
      await stores.sessions.beginCall(key, 'w1', start, false, now);
      const other = { ...start, invocationId: 'y' };
      const begin = (at: number) => lossy.sessions.beginCall(key, 'w1', other, false, at);
      expect(await begin(now)).toMatchObject({ kind: 'running' });
      expect(await begin(start.until)).toEqual({ kind: 'died' });
      expect((await viewOf(stores)).fence.started).toEqual({ w1: start });
    });

    // A worker that gets `closed` wakes a session that is due.
    test('is taken out; its worker is told that it already was', async () => {
      expect(await lossy.sessions.finishCall(key, 'w1', now)).toBe('closed');
      expect(await viewOf(stores)).toMatchObject({ dueAt: until, fence: { pending: ['w2'] } });
    });

    test('that is the last one makes the session due; its worker is told that it was already out', async () => {
      await stores.sessions.finishCall(key, 'w2', now);
      expect(await lossy.sessions.finishCall(key, 'w1', now + 7)).toBe('closed');
      expect(await viewOf(stores)).toMatchObject({ dueAt: now + 7, fence: { pending: [] } });
    });
  });

  test('an expired wait is due', async () => {
    await waitingSession(stores, { kind: 'wait_for_people', until });
    const at = until + minutes / 2;
    await lossy.sessions.postpone(key, at, at + 5 * minutes);
    expect((await viewOf(stores)).dueAt).toBe(at);
    expect(await overdueAt(stores, at + 5 * minutes)).toHaveLength(1);
  });

  test('a lease is extended', async () => {
    await claimedSession(stores);
    expect(await lossy.sessions.extend(key, 1, now + 9 * leaseMs)).toBe('held');
  });

  test('files are restored once', async () => {
    const { session } = await restingSession(stores);
    const to = { workspace: 'tree1', nudges: [{ text: 'Set back.' }] };
    expect(await lossy.sessions.restore(key, session, to)).toBe('restored');
    expect((await viewOf(stores)).session).toMatchObject(to);
  });

  test('a grant is revoked once', async () => {
    await restingSession(stores);
    expect(await lossy.sessions.revoke(key, 'g1')).toBe('revoked');
    expect((await viewOf(stores)).fence.revoked).toEqual(['g1']);
  });

  test('a repeated cancel is still a cancel: only its tag must differ', async () => {
    await claimedSession(stores);
    expect(await lossy.sessions.cancel(key, now)).toBe('cancelled');
    expect((await viewOf(stores)).fence.cancelGen).toBeGreaterThan(0);
  });

  test('an event is queued once, and wakes', async () => {
    await stores.sessions.create(aSession());
    expect(await lossy.inbox.accept(key, anEvent('e1'), now)).toMatchObject({
      wake: { hint: { inbox: ['e1'] } },
    });
    expect((await viewOf(stores)).fence.inbox).toEqual(['e1']);
    await lossy.inbox.markDone(key, ['e1']);
    expect(await stores.inbox.read(key, ['e1'])).toMatchObject([{ done: true }]);
  });

  test('subscribers are a set', async () => {
    await stores.sessions.create(aSession());
    expect(await lossy.sessions.subscribe(key, 'c1')).toEqual({ kind: 'subscribed' });
    expect((await viewOf(stores)).fence.subscribers).toEqual(['c1']);
    await lossy.sessions.unsubscribe(key, 'c1');
    expect((await viewOf(stores)).fence.subscribers).toEqual([]);
  });

  test('a budget is granted, reserved, given back and settled once', async () => {
    const opened = await openAwsBudgets(aws);
    const clock = { now: () => now };
    const limits = { ...nothing, tokens: 1_000 };
    const budgets = tenantBudgets(limits, opened.over(loseFirstAnswers(aws.newDynamoClient())), clock);
    for (const sessionId of ['s1', 's2', 's3']) {
      const reservation = await reserved(budgets, sessionId, 1, { ...nothing, tokens: 300 });
      await budgets.settle(reservation, { ...nothing, tokens: 100 });
    }
    await reserved(budgets, 's4', 1, { ...nothing, tokens: 600 });
    expect(await leftOf(tenantBudgets(limits, opened, clock), 64)).toBe(100);
  });

  test('a destination is put, claimed, advanced and released', async () => {
    const destination = newDestination('callback', 'callback', { url: 'https://example.com/' });
    expect(await outbound.put(key, destination)).toBe('exists');
    expect(await outbound.claim(key, 'callback', 'a', leaseMs, now)).toEqual({
      kind: 'claimed',
      destination,
    });
    expect(await outbound.advance(key, 'callback', 'a', { cursor: 5 })).toBe('advanced');
    // Its owner reacts the same way: it does nothing more.
    expect(await outbound.release(key, 'callback', 'a', 0, { cursor: 7 })).toEqual({ kind: 'lost' });
    expect(await outbound.claim(key, 'callback', 'b', leaseMs, now)).toMatchObject({
      kind: 'claimed',
      destination: { cursor: 7 },
    });
  });

  test('a knock is noticed, whether it comes once or twice', async () => {
    await outbound.put(key, newDestination('callback', 'callback', null));
    await outbound.claim(key, 'callback', 'a', leaseMs, now);
    expect(await outbound.claim(key, 'callback', 'b', leaseMs, now)).toEqual({ kind: 'held' });
    expect(await outbound.release(key, 'callback', 'a', 0)).toMatchObject({ kind: 'knocked' });
  });

  test('a session that is allowed to start takes one place and gives it back', async () => {
    const table = createDynamo(loseFirstAnswers(aws.newDynamoClient()), (await openAwsStores(aws)).tableName);
    const services = { clock: { now: () => now }, ids: { random: () => 0 } };
    const limits = createLimits(table, services, { messagesPerMinute: 9, sessionsAtOnce: 200 });
    for (const sessionId of ['s1', 's2']) {
      const session = { tenant: 'acme', sessionId };
      expect(await limits.session(session)).toEqual({ since: now });
      if (sessionId === 's2') await limits.giveBack(session, { since: now });
    }
    const items = await Promise.all([0, 1].map((n) => table.get(runningKey('acme', n))));
    const places = Object.fromEntries(items.flatMap((item) => Object.entries(item?.places ?? {})));
    expect(places).toEqual({ s1: now, s2: 0 });
  });

  test('frames are logged once', async () => {
    await lossy.log.append(key, frames(1, 3));
    expect(await stores.log.read(key, 0, 10)).toEqual(frames(1, 3));
  });
});

/** Applies each write, and drops the first response to it. */
function loseFirstAnswers(client: DynamoDBClient): DynamoDBClient {
  // The SDK keeps one context for all attempts of a request.
  const answered = new Set<unknown>();
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args).catch((error: unknown) => ({ error }));
      const isWrite = /^(Put|Update|Delete)/.test(String(context.commandName));
      if (isWrite && !answered.has(context)) {
        answered.add(context);
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
      }
      if ('error' in result) throw result.error;
      return result;
    },
    { step: 'deserialize', name: 'loseFirstAnswers' },
  );
  return client;
}

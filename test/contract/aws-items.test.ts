import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { itemBytes, type WireItem } from '../../local/stack/services/item-bytes.ts';
import { sweepAtFor } from '../../shared/agent/session/wake.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { duePlaceOf, dueShards, headKey } from '../../shared/aws/layout.ts';
import { createSessions } from '../../shared/aws/sessions.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { overdueAt } from '../support/overdue.ts';
import { signedFetch } from '../support/signed.ts';
import { type AwsStores, openAwsLater, openAwsStores } from './aws-stores.ts';
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
  frames,
  key,
  minutes,
  noise,
  now,
  ofBytes,
  restOf,
  type Stores,
  viewOf,
  waitingSession,
} from './harness.ts';

/** The contents of the table, which the ports do not show. */
describe('aws items', () => {
  let aws: EmbeddedAws;
  let stores: AwsStores;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    stores = await openAwsStores(aws);
  });

  async function raw(): Promise<Record<string, AttributeValue>[]> {
    const { Items = [] } = await aws.clients.dynamo().send(new ScanCommand({ TableName: stores.tableName }));
    return Items;
  }
  const items = async () => (await raw()).map((item) => unmarshall(item));
  const itemAt = async (sk: string) => (await items()).find((item) => item.sk.startsWith(sk));

  test('are never near the maximum size, whatever is stored', async () => {
    const large = ofBytes(600_000);
    await stores.sessions.create(aSession());
    await stores.sessions.putSlot(key, 1, aSlot(0, large));
    await stores.sessions.putSlot(key, 1, aSlot(1, ofBytes(298_000)));
    await stores.sessions.putPack(key, 'p1', [aSlot(1, noise(299_000))]);
    await stores.sessions.putResult(key, 1, aResult('c1', large));
    await stores.sessions.putDefinition('acme', 'h1', { system: large } as never);
    await stores.inbox.accept(key, anEvent('e1', { text: large }), now);
    await stores.log.append(key, [aFrame(1, large), ...frames(2, 5), aFrame(6, ofBytes(90_000))]);
    for (const item of await raw()) expect(itemBytes(item as unknown as WireItem)).toBeLessThan(350_000);
  });

  test('of one tenant all start with its name', async () => {
    const view = await claimedSession(stores);
    await stores.sessions.putSlot(key, 1, aSlot(0));
    await stores.sessions.putPack(key, 'p1', [aSlot(0), aSlot(1)]);
    await stores.sessions.putResult(key, 1, aResult('c1'));
    await stores.sessions.putDefinition('acme', 'h1', { system: 'x' } as never);
    await stores.log.append(key, frames(1, 3));
    await openAwsLater(aws, aws.clients.dynamo(), stores.tableName).settle(key, 'a1', {
      result: aResult('c1'),
    });
    await stores.sessions.commit(commitOf(view));
    const keys = (await items()).map(({ pk, sk }) => `${pk} ${sk}`);
    expect(keys.sort()).toEqual([
      'acme#definition#h1 DEFINITION',
      'acme#s1 A#a1',
      'acme#s1 HEAD',
      'acme#s1 I#e1',
      'acme#s1 M#0000000000',
      'acme#s1 P#p1#0000000001#0000000000',
      'acme#s1 R#0000000001#c1',
      'acme#s1 V#0000000000000003#0000000000000001',
    ]);
  });

  test('that expire give their expiry in seconds', async () => {
    await claimedSession(stores);
    await stores.log.append(key, frames(1, 3));
    await stores.sessions.putResult(key, 1, aResult('c1'));
    const inDays = (days: number) => Math.floor(now / 1000) + days * 24 * 3600;
    expect((await itemAt('V#'))?.ttl).toBe(inDays(7));
    expect((await itemAt('I#'))?.ttl).toBe(inDays(30));
    expect((await itemAt('R#'))?.ttl).toBe(inDays(30));
    expect(await itemAt('HEAD')).not.toHaveProperty('ttl');
  });

  test('name an owner only while there is one', async () => {
    const view = await claimedSession(stores);
    expect(await itemAt('HEAD')).toMatchObject({ owner: 'a', ownerMessageId: 'message of a' });
    await stores.sessions.commit(commitOf(view));
    expect(await itemAt('HEAD')).not.toHaveProperty('owner');
    expect(await itemAt('HEAD')).not.toHaveProperty('ownerMessageId');
  });

  test('are in the index of sleepers only while they wait for a wake', async () => {
    const { dueShard, phaseMs } = duePlaceOf(key);
    const indexed = async () => {
      const head = (await itemAt('HEAD')) ?? {};
      return { dueShard: head.dueShard, sweepAt: head.sweepAt };
    };
    await stores.sessions.create(aSession());
    expect(await indexed()).toEqual({});
    const view = await claimedSession(stores);
    expect(await indexed()).toEqual({ dueShard, sweepAt: sweepAtFor(now, now, phaseMs) });
    await stores.sessions.commit(restOf(view));
    expect(await indexed()).toEqual({});
  });

  test('are in the index of sleepers while they wait: for people until the end, for calls until one minute after it', async () => {
    const until = now + 60 * minutes;
    const { dueShard } = duePlaceOf(key);
    await waitingSession(stores, { kind: 'wait_for_people', until });
    expect(await itemAt('HEAD')).toMatchObject({ dueShard, sweepAt: until });
    stores = await openAwsStores(aws);
    await waitingSession(stores, { kind: 'wait_for_calls', until });
    expect(await itemAt('HEAD')).toMatchObject({ dueShard, sweepAt: Date.UTC(2026, 10, 22, 13, 2) });
  });

  test('say themselves whether they are overdue, since the index may lag', async () => {
    const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
    const late: Dynamo = {
      ...dynamo,
      async *index({ partition }) {
        if (partition.value === duePlaceOf(key).dueShard) yield { items: [headKey(key)], isLast: true };
      },
    };
    const bodies = createBodies(stores.blobs);
    const sessions = createSessions({ dynamo: late, bodies, clock: { now: () => now } });
    const view = await claimedSession(stores);
    await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt: now + 30 * minutes } }));
    expect(await overdueAt({ sessions }, now + 10 * minutes)).toEqual([]);
    expect(await overdueAt({ sessions }, now + 60 * minutes)).toHaveLength(1);
    await stores.sessions.commit(restOf(await claimed(stores, 'b', { at: now + 30 * minutes })));
    expect(await overdueAt({ sessions }, now + 60 * minutes)).toEqual([]);
  });

  test('are found where a version before shards left them in the index, until they are next written', async () => {
    const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
    await dueSession(stores);
    await dynamo.update({
      key: headKey(key),
      set: ['#dueShard = :old'],
      when: [],
      values: { old: 'due' },
    });
    const at = now + 10 * minutes;
    expect(await overdueAt(stores, at)).toEqual([await viewOf(stores)]);
    await stores.sessions.postpone(key, at, at + 5 * minutes);
    expect(await itemAt('HEAD')).toMatchObject({ dueShard: duePlaceOf(key).dueShard });
    expect(await overdueAt(stores, at + 5 * minutes)).toHaveLength(1);
  });

  test('are spread evenly over the index and its times, also those of one tenant', () => {
    const inShard = new Map<string, number>();
    const inMinute = [0, 0, 0, 0, 0];
    for (let i = 0; i < 64_000; i++) {
      const { dueShard, phaseMs } = duePlaceOf({ tenant: 'acme', sessionId: `s${i}` });
      inShard.set(dueShard, (inShard.get(dueShard) ?? 0) + 1);
      const minute = Math.floor(phaseMs / minutes);
      inMinute[minute] = (inMinute[minute] ?? 0) + 1;
    }
    expect([...inShard.keys()].filter((shard) => !dueShards.includes(shard))).toEqual([]);
    // The averages are 2,000 and 12,800; six standard deviations are 270 and 610.
    expect(inShard.size).toBe(32);
    expect(Math.max(...inShard.values())).toBeLessThan(2_300);
    expect(inMinute).toHaveLength(5);
    expect(Math.max(...inMinute)).toBeLessThan(13_500);
  });

  test('of an unreadable partition hide no others', async () => {
    const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
    const bodies = createBodies(stores.blobs);
    const broken: Dynamo = {
      ...dynamo,
      index: (query) => {
        if (query.partition.value === 'due') throw new Error('this one is down');
        return dynamo.index(query);
      },
    };
    const sessions = createSessions({ dynamo: broken, bodies, clock: { now: () => now } });
    await dueSession(stores);
    const shown: string[] = [];
    const read = async () => {
      for await (const page of sessions.overdue(now + 10 * minutes))
        shown.push(...page.map(({ session }) => session.key.sessionId));
    };
    await expect(read()).rejects.toThrow('this one is down');
    expect(shown).toEqual(['s1']);
  });

  test('change the index at most once per five minutes of steps', async () => {
    let view = await claimedSession(stores);
    const moments = new Set<number>();
    for (let at = now; at < now + 10 * minutes; at += minutes / 4) {
      await stores.sessions.commit(commitOf(view, { next: { kind: 'run', dueAt: at }, now: at }));
      moments.add((await itemAt('HEAD'))?.sweepAt);
      view = await claimed(stores, `at${at}`, { at });
    }
    expect(moments.size).toBeGreaterThan(1);
    expect(moments.size).toBeLessThan(4);
  });

  test('of a call or event whose name looks like a path stay with their own session', async () => {
    const name = '../../other#session/x';
    const [result, slot] = [aResult(name, ofBytes(600_000)), aSlot(0, ofBytes(600_000))];
    await stores.sessions.create(aSession());
    await stores.sessions.putResult(key, 1, result);
    await stores.sessions.putSlot(key, 1, slot);
    await stores.inbox.accept(key, anEvent(name, { text: ofBytes(600_000) }), now);
    const kept = [`I#${name}`, `R#0000000001#${name}`, 'M#0000000000'].map((sk) =>
      itemAt(sk).then((item) => item?.blob),
    );
    const blobs = await Promise.all(kept);
    for (const blob of blobs) expect(blob).toMatch(/^acme#s1\/[^/]+\/[0-9a-f]{64}$/);

    const listed = await signedFetch('s3', `${aws.s3.endpoint}/${aws.bucket}?list-type=2`);
    const keys = [...(await listed.text()).matchAll(/<Key>(.*?)<\/Key>/g)].map(([, found]) => found);
    expect(keys).toEqual(expect.arrayContaining(blobs));
    expect(keys.filter((found) => !found?.startsWith('acme#'))).toEqual([]);

    expect(await stores.sessions.results(key, 1)).toEqual([result]);
    expect(await stores.inbox.read(key, [name])).toMatchObject([{ id: name, text: ofBytes(600_000) }]);
  });

  test('marked done keep no text, whatever their size', async () => {
    await stores.sessions.create(aSession());
    await stores.inbox.accept(key, anEvent('e1', { text: ofBytes(600_000) }), now);
    await stores.inbox.markDone(key, ['e1']);
    const item = await itemAt('I#');
    expect(item).toMatchObject({ done: true, digest: 'digest of e1' });
    expect(item).not.toHaveProperty('blob');
    expect(item).not.toHaveProperty('body');
  });

  test('of a log are read one page at a time, and no further than requested', async () => {
    for (let seq = 1; seq <= 120; seq++) await stores.log.append(key, frames(seq, seq));
    const calls: string[] = [];
    const counted = stores.over(countCalls(aws.newDynamoClient(), calls));
    await counted.log.read(key, 0, 5);
    await counted.log.read(key, 0, 100, 40);
    expect(calls).toEqual(['Query', 'Query']);
  });

  test('of a transcript are read one page at a time, however much follows', async () => {
    for (let n = 0; n < 30; n++) await stores.sessions.putSlot(key, 1, aSlot(n, ofBytes(200_000)));
    const calls: string[] = [];
    const counted = stores.over(countCalls(aws.newDynamoClient(), calls));
    const page = await counted.sessions.slots(key, 10, { below: 30, bytes: 500_000 });
    expect(page.map(({ slot }) => slot.n)).toEqual([10, 11, 12]);
    expect(calls).toEqual(['Query']);
  });

  test('of a step cost four writes at any session length', async () => {
    await claimedSession(stores).then((view) => stores.sessions.commit(commitOf(view)));
    const calls: string[] = [];
    const counted = stores.over(countCalls(aws.newDynamoClient(), calls));
    await toolStep(counted, 1, 'short');
    const short = calls.splice(0);
    for (let n = 3; n < 60; n++) await stores.sessions.putSlot(key, 2, aSlot(n));
    await toolStep(counted, 60, 'long');
    expect(short).toEqual(['UpdateItem', 'PutItem', 'PutItem', 'UpdateItem']);
    expect(calls).toEqual(short);
  });
});

/** The writes of a step with tools: claim, model slot, tools slot, commit. */
async function toolStep({ sessions }: Stores, n: number, invocation: string): Promise<void> {
  const view = await claimed({ sessions }, invocation);
  const { epoch } = view.fence;
  await sessions.putSlot(key, epoch, aSlot(n));
  await sessions.putSlot(key, epoch, aSlot(n + 1));
  await sessions.commit(commitOf(view));
}

function countCalls(client: DynamoDBClient, calls: string[]): DynamoDBClient {
  client.middlewareStack.add(
    (next, context) => (args) => {
      calls.push(String(context.commandName).replace('Command', ''));
      return next(args);
    },
    { step: 'deserialize', name: 'countCalls' },
  );
  return client;
}

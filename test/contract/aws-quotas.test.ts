import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Limits } from '../../shared/agent/config/limits.ts';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { MAX_INBOX } from '../../shared/agent/ports/inbox.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import * as layout from '../../shared/aws/layout.ts';
import { createPlaces, PLACES_OF_ITEM } from '../../shared/aws/places.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type AwsStores, openAwsStores } from './aws-stores.ts';
import { anEvent, aResult, claimedSession, commitOf, dueSession, key, now, ofBytes } from './harness.ts';

/** The largest requests stay within AWS's limits, which the embedded services enforce (docs/aws-limits.md). */

let aws: EmbeddedAws;
let stores: AwsStores;
let dynamo: Dynamo;
beforeAll(async () => {
  aws = await startEmbeddedAws();
  stores = await openAwsStores(aws);
  dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
});
afterAll(() => aws.stop());

/** The longest id that a call of a model can have (`shared/models/common/ids.ts`). */
const callId = (n: number) => `c${n}`.padEnd(40, 'x');

describe('an expression has at most 4 KB', () => {
  test('when the intents of the largest batch are written', async () => {
    const most = Limits.shape.maxCallsPerReply.unwrap().maxValue ?? 0;
    expect(most).toBeGreaterThan(50);
    const { fence } = await claimedSession(stores);
    const ids = Array.from({ length: most }, (_, n) => callId(n));
    expect(await stores.sessions.fence(key, fence.epoch, fence.cancelGen, ids)).toBe('fenced');
  });

  test('when all places of an item are freed at once', async () => {
    const item = { pk: 'acme#limits#x', sk: 'RUNNING' };
    const places = createPlaces(dynamo);
    const ids = Array.from({ length: PLACES_OF_ITEM }, (_, n) => `session-${n}`.padEnd(64, 'x'));
    for (const id of ids) await places.take(item, id, now, PLACES_OF_ITEM);
    expect(await places.free(item, Object.fromEntries(ids.map((id) => [id, now])))).toBe(true);
    expect((await dynamo.get(item))?.places).toEqual({});
  });
});

test('the longest inbox is read by one batch of at most 100 keys', async () => {
  const session = { tenant: 'acme', sessionId: 'inbox' };
  await dueSession(stores, now, session);
  const ids = Array.from({ length: MAX_INBOX - 1 }, (_, n) => `more${n}`);
  for (const id of ids) await stores.inbox.accept(session, anEvent(id), now);
  expect((await stores.sessions.read(session))?.fence.inbox).toHaveLength(MAX_INBOX);
  expect(await stores.inbox.read(session, ['e1', ...ids])).toHaveLength(MAX_INBOX);
});

test('a batch whose items have more than an answer takes is read to its end', async () => {
  const ids = Array.from({ length: 5 }, (_, n) => ({ pk: 'large', sk: `i${n}` }));
  for (const id of ids) await dynamo.put({ ...id, body: ofBytes(299_000) });
  expect(await dynamo.getAll(ids)).toHaveLength(5);
});

test('a partition with more than the 1 MB of a page is read to its end, and in its order', async () => {
  const numbers = Array.from({ length: 8 }, (_, n) => n);
  for (const n of numbers) await dynamo.put({ pk: 'long', sk: `i${n}`, body: ofBytes(299_000) });
  const read: string[] = [];
  for await (const { sk } of dynamo.range('long', 'i', 'j')) read.push(sk);
  expect(read).toEqual(numbers.map((n) => `i${n}`));
});

describe('the longest names fit', () => {
  const name = 'n'.repeat(64);
  const session = { tenant: name, sessionId: name };
  const id = 'i'.repeat(256);
  const [day, hash] = ['2026-11-28', 'h'.repeat(64)];
  const keys = [
    layout.slotKey(session, 9_999_999_999),
    { pk: layout.pkOf(session), sk: layout.packSk(id, 9_999_999_999, 9_999_999_999) },
    { pk: layout.pkOf(session), sk: layout.resultSk(9_999_999_999, callId(0)) },
    layout.eventKey(session, id),
    layout.overflowKey(session, now, id),
    layout.feedbackKey(session, id, hash),
    layout.destinationKey(session, id),
    layout.definitionKey(name, hash),
    layout.budgetShardKey({ tenant: name, day }, 7),
    layout.hookKey(name, name, hash),
    layout.deadBodyKey(name, id),
    layout.factKey({ tenant: name, user: 'u'.repeat(10_000) }, id),
    layout.slackHomeKey(name, name, name, name),
    layout.uploadKey(name, id),
    layout.runningKey(name, 9_999),
    layout.signKey({ server: 's'.repeat(10_000), model: 'm'.repeat(10_000), group: 15 }),
  ];

  test('into the keys of items', async () => {
    for (const one of keys) {
      expect(await dynamo.put(one)).toMatchObject({ kind: 'written' });
      expect(await dynamo.get(one)).toEqual(one);
    }
  });

  test('into the keys of objects, also of results and events that are stored beside their items', async () => {
    for (const { pk, sk } of keys) {
      const at = blobKey(pk, sk, hash);
      await stores.blobs.put(at, 'x');
      expect(await stores.blobs.get(at)).toBe('x');
    }
    const large = aResult(callId(0), ofBytes(400_000));
    await stores.sessions.putResult(key, 1, large);
    expect(await stores.sessions.results(key, 1)).toEqual([large]);
  });
});

test('more objects than a list has, 1,000, are all deleted, and no others', async () => {
  const { bucket, s3 } = await aws.withBucket();
  const names = Array.from({ length: 1_001 }, (_, n) => blobKey('acme', 's1', `o${n}`));
  for (let from = 0; from < names.length; from += 50)
    await Promise.all(names.slice(from, from + 50).map((name) => aws.clients.s3().put(bucket, name, 'x')));
  const other = blobKey('acme', 's10', 'o');
  await aws.clients.s3().put(bucket, other, 'x');
  await createPurge(s3, bucket)(`${blobKey('acme', 's1')}/`);
  const left = await Promise.all(names.map((name) => aws.clients.s3().has(bucket, name)));
  expect(left.filter(Boolean)).toEqual([]);
  expect(await aws.clients.s3().has(bucket, other)).toBe(true);
});

test('a commit whose HEAD would have more than 400 KB is refused as a whole', async () => {
  const session = { tenant: 'acme', sessionId: 'head' };
  await dueSession(stores, now, session);
  const claim = await stores.sessions.claim({
    ...{ key: session, invocationId: 'a', messageId: 'm', now, leaseMs: 60_000 },
  });
  if (claim.kind !== 'claimed') throw new Error('not claimed');
  const huge = commitOf(claim.view, { waits: [ofBytes(500_000)] });
  await expect(stores.sessions.commit(huge)).rejects.toThrow('Item size');
  expect(await stores.sessions.read(session)).toMatchObject({ session: { version: 0 } });
});

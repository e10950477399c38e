/** The contracts of the stores once more, with the contents of tenants sealed. */

import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import { createFeedback } from '../../shared/aws/feedback.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { openLater } from '../../shared/aws/later.ts';
import { createListed } from '../../shared/aws/listed.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createMemories } from '../../shared/aws/memories.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import { sealedDynamo } from '../../shared/aws/sealed-dynamo.ts';
import { sealedS3 } from '../../shared/aws/sealed-s3.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type EmbeddedKeys, startEmbeddedKeys } from './aws-keys.ts';
import { storesOn } from './aws-stores.ts';
import { blobsContract } from './blobs.ts';
import { deadDeliveriesContract } from './dead-deliveries.ts';
import { eventLogContract } from './event-log.ts';
import { feedbackContract } from './feedback.ts';
import { now } from './harness.ts';
import { hookLogContract } from './hook-log.ts';
import { inboxStoreContract } from './inbox-store.ts';
import { laterContract } from './later.ts';
import { listingsContract } from './listings.ts';
import { memoriesContract } from './memories.ts';
import { outboundContract } from './outbound.ts';
import { schedulesContract } from './schedules.ts';
import { servicesContract } from './services.ts';
import { sessionStoreContract } from './session-store.ts';
import { slackStoreContract } from './slack-store.ts';

let aws: EmbeddedAws;
let keys: EmbeddedKeys;
beforeAll(async () => {
  aws = await startEmbeddedAws();
  keys = await startEmbeddedKeys(aws);
});
afterAll(async () => {
  await keys.stop();
  await aws.stop();
});

const blobs = () => createBlobs(keys.s3(), aws.bucket);
const table = async () => (await keys.openTable()).dynamo;
const open = async () => storesOn(blobs(), await table());

sessionStoreContract('sealed', open);
inboxStoreContract('sealed', open);
eventLogContract('sealed', open);
blobsContract('sealed', open);
servicesContract('sealed', open);
outboundContract('sealed', async () => createOutbound(await table()));
slackStoreContract('sealed', async (clock) => createSlackStore(await table(), clock));
feedbackContract('sealed', async () => createFeedback(await table()));
memoriesContract('sealed', async () => createMemories(await table()));
listingsContract('sealed', async () => {
  const dynamo = await table();
  return { ...createListings(dynamo), ...createListed(dynamo) };
});
laterContract('sealed', async () => {
  const dynamo = await table();
  const clock = { now: () => now };
  return {
    ...storesOn(blobs(), dynamo),
    later: openLater('https://api.test', { dynamo, bodies: createBodies(blobs()), clock }),
  };
});
deadDeliveriesContract('sealed', async () =>
  createDeadDeliveries(await table(), createBodies(blobs()), virtualClock()),
);
hookLogContract('sealed', async () => createHookLog(await table(), virtualClock()));
schedulesContract('sealed', async () => createSchedules(await table(), { now: () => now }));

const words = 'PLANTED-WORDS';
const fact = { id: 'u1', text: words, at: 1, sessionId: 's1', by: ['user:ada'] };
const acme = { tenant: 'acme' };

test('no words of a tenant are readable in the table, and keys, times and subjects are', async () => {
  const { name, dynamo } = await keys.openTable();
  await createMemories(dynamo).save(acme, fact);
  const { Items } = await aws.clients.dynamo().send(new ScanCommand({ TableName: name }));
  expect(JSON.stringify(Items)).not.toContain(words);
  expect(Items).toMatchObject([{ pk: { S: 'acme#memory#tenant' }, at: { N: '1' }, text: { M: {} } }]);
});

test('an item that is moved to another key, or to another tenant, cannot be read', async () => {
  const { dynamo, plain } = await keys.openTable();
  const memories = createMemories(dynamo);
  await memories.save(acme, fact);
  const item = await plain.get({ pk: 'acme#memory#tenant', sk: 'FACT#u1' });
  await plain.put({ ...item, sk: 'FACT#u2' });
  await expect(memories.all(acme)).rejects.toThrow('was changed or moved');
  await memories.save({ tenant: 'globex' }, fact);
  await plain.put({ ...item, pk: 'globex#memory#tenant' });
  await expect(memories.all({ tenant: 'globex' })).rejects.toThrow('was changed or moved');
});

test('an item from before the option is read as it is, compared as it is, and sealed when it is written again', async () => {
  const { dynamo, plain } = await keys.openTable();
  const key = { pk: 'acme#s1', sk: 'HEAD' };
  await plain.put({ ...key, nudges: '["old"]', version: 1, decisions: { w1: 'yes' } });
  expect(await dynamo.get(key)).toMatchObject({ nudges: '["old"]', decisions: { w1: 'yes' } });
  const swap = (before: string, after: string) =>
    dynamo.update({
      key,
      set: ['#nudges = :now', '#decisions.#id = :said'],
      when: ['#version = :version', '#nudges = :before'],
      values: { now: after, before, version: 1, said: words },
      names: { '#id': 'w2' },
    });
  expect(await swap('["other"]', '["no"]')).toMatchObject({ kind: 'refused', item: { nudges: '["old"]' } });
  expect(await swap('["old"]', '["new"]')).toMatchObject({
    kind: 'written',
    item: { nudges: '["new"]', decisions: { w1: 'yes', w2: words } },
  });
  expect(await swap('["new"]', '["newer"]')).toMatchObject({ kind: 'written' });
  expect(JSON.stringify(await plain.get(key))).not.toMatch(/newer|PLANTED/);
});

test('an object from before the option is read as it is; a sealed one is bounded by its own length', async () => {
  const [plain, sealed] = [createBlobs(aws.clients.s3(), aws.bucket), blobs()];
  await plain.put('acme/old', words);
  expect(await sealed.get('acme/old')).toBe(words);
  await sealed.put('acme/new', words);
  expect(await plain.get('acme/new')).not.toContain(words);
  expect(await sealed.getBytes('acme/new', words.length)).toHaveLength(words.length);
  await expect(sealed.getBytes('acme/new', words.length - 1)).rejects.toThrow(
    `more than ${words.length - 1} bytes`,
  );
  await plain.putBytes('acme/moved', (await plain.getBytes('acme/new')) ?? new Uint8Array());
  await expect(sealed.get('acme/moved')).rejects.toThrow('was changed or moved');
});

test('uploads, which browsers write, are not sealed', async () => {
  const [plain, sealed] = [createBlobs(aws.clients.s3(), aws.bucket), blobs()];
  await sealed.put('_uploads/acme/u1', words);
  expect(await plain.get('_uploads/acme/u1')).toBe(words);
  expect(await sealed.get('_uploads/acme/u1')).toBe(words);
});

test('after the deletion of its key nothing of a tenant is read or written, and another tenant is untouched', async () => {
  const { plain } = await keys.openTable();
  const own = await keys.openKeys();
  const [dynamo, s3] = [sealedDynamo(plain, own), sealedS3(aws.clients.s3(), own)];
  const memories = createMemories(dynamo);
  const globex = { tenant: 'globex' };
  for (const owner of [acme, globex]) await memories.save(owner, fact);
  await s3.put(aws.bucket, 'acme/gone', words);
  await own.remove('acme', 'operator', 1);
  await expect(memories.all(acme)).rejects.toThrow(TenantKeyDeleted);
  await expect(memories.save(acme, { ...fact, id: 'u2' })).rejects.toThrow(TenantKeyDeleted);
  await expect(s3.get(aws.bucket, 'acme/gone')).rejects.toThrow(TenantKeyDeleted);
  await expect(s3.put(aws.bucket, 'acme/more', words)).rejects.toThrow(TenantKeyDeleted);
  expect(await memories.all(globex)).toMatchObject([{ text: words }]);
  const both = [acme, globex].map(({ tenant }) => ({ pk: `${tenant}#memory#tenant`, sk: 'FACT#u1' }));
  expect(await dynamo.getAll(both)).toMatchObject([{ pk: 'globex#memory#tenant', text: words }]);
});

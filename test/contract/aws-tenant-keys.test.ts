import { afterAll, beforeAll, expect, test } from 'vitest';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createTenantKeys } from '../../shared/aws/tenant-keys.ts';
import { KEY_LIFETIME_MS } from '../../shared/edge/tenant-keys.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type EmbeddedKeys, startEmbeddedKeys } from './aws-keys.ts';

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

const words = Buffer.from('words');
/** The same words are sealed the same way under the same data key only. */
const printOf = async (
  of: { forWriting(tenant: string): ReturnType<Sealers['forWriting']> },
  tenant = 'acme',
) => Buffer.from((await of.forWriting(tenant)).at('x').seal('x', words)).toString('hex');
type Sealers = Awaited<ReturnType<EmbeddedKeys['openKeys']>>;

test('environments that make the key of a tenant at once get the same one, and tenants get different ones', async () => {
  const table = await aws.createTable();
  const environments = await Promise.all(Array.from({ length: 5 }, () => keys.openKeys(undefined, table)));
  const prints = await Promise.all(environments.flatMap((one) => [printOf(one), printOf(one)]));
  expect(new Set(prints).size).toBe(1);
  expect(await printOf(await keys.openKeys(undefined, table))).toBe(prints[0]);
  expect(await printOf(await keys.openKeys(undefined, table), 'globex')).not.toBe(prints[0]);
});

test('the table holds no key in the clear', async () => {
  const opened = await keys.openKeys();
  const generated: Uint8Array[] = [];
  const { keyTable } = opened;
  const kms: typeof keys.kms = {
    ...keys.kms,
    async generate(context) {
      const key = await keys.kms.generate(context);
      generated.push(key.plain);
      return key;
    },
  };
  await createTenantKeys({ dynamo: keyTable, kms, clock: { now: () => 5 } }).forWriting('acme');
  const item = await keyTable.get({ pk: 'acme', sk: 'KEY' });
  expect(item).toMatchObject({ createdAt: 5 });
  expect(Buffer.from(item?.wrapped).includes(Buffer.from(generated[0] ?? ''))).toBe(false);
});

test('reading makes no key', async () => {
  const opened = await keys.openKeys();
  await expect(opened.existing('acme')).rejects.toThrow('no key');
  await opened.requireLiving('acme');
  expect(await opened.read('acme')).toEqual({ state: 'none' });
  expect(await opened.keyTable.get({ pk: 'acme', sk: 'KEY' })).toBeUndefined();
});

test('a deletion stays: no environment uses the key after its time, and no new one is made', async () => {
  let time = 1_000;
  const table = await aws.createTable();
  const clock = { now: () => time };
  const [one, other] = [await keys.openKeys(clock, table), await keys.openKeys(clock, table)];
  await printOf(one);
  await other.existing('acme');
  expect(await one.remove('acme', 'user:root', time)).toEqual({
    ...{ state: 'deleted', deletedAt: 1_000, deletedBy: 'user:root' },
  });
  // At once where it was deleted, and elsewhere when the key is asked for again.
  await expect(one.existing('acme')).rejects.toThrow(TenantKeyDeleted);
  await other.existing('acme');
  time += KEY_LIFETIME_MS;
  await expect(other.existing('acme')).rejects.toThrow(TenantKeyDeleted);
  await expect(other.forWriting('acme')).rejects.toThrow(TenantKeyDeleted);
  await expect(other.requireLiving('acme')).rejects.toThrow(TenantKeyDeleted);
  await expect((await keys.openKeys(clock, table)).forWriting('acme')).rejects.toThrow(TenantKeyDeleted);
  const item = await one.keyTable.get({ pk: 'acme', sk: 'KEY' });
  expect(item).not.toHaveProperty('wrapped');
  time += 1;
  expect(await other.remove('acme', 'user:eve', time)).toMatchObject({
    deletedAt: 1_000,
    deletedBy: 'user:root',
  });
});

test('a tenant without a key can be refused one', async () => {
  const opened = await keys.openKeys();
  await opened.remove('acme', 'operator', 7);
  await expect(opened.forWriting('acme')).rejects.toThrow(TenantKeyDeleted);
  expect(await opened.read('acme')).toEqual({ state: 'deleted', deletedAt: 7, deletedBy: 'operator' });
});

test('a failure is not remembered', async () => {
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  let fails = true;
  const generate: typeof keys.kms.generate = (context) =>
    fails ? Promise.reject(new Error('KMS is down')) : keys.kms.generate(context);
  const opened = createTenantKeys({ dynamo, kms: { ...keys.kms, generate }, clock: { now: () => 1 } });
  await expect(opened.forWriting('acme')).rejects.toThrow('KMS is down');
  fails = false;
  await opened.forWriting('acme');
});

test('KMS and the table are asked once in the lifetime of a remembered key', async () => {
  let [asked, time] = [0, 0];
  const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
  const unwrap: typeof keys.kms.unwrap = (...with_) => {
    asked += 1;
    return keys.kms.unwrap(...with_);
  };
  const open = () => createTenantKeys({ dynamo, kms: { ...keys.kms, unwrap }, clock: { now: () => time } });
  await open().forWriting('acme');
  const opened = open();
  for (time = 0; time < KEY_LIFETIME_MS; time += KEY_LIFETIME_MS / 10) await opened.existing('acme');
  expect(asked).toBe(1);
  await opened.existing('acme');
  expect(asked).toBe(2);
});

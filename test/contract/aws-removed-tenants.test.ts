import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyTally } from '../../shared/agent/entrypoints/days/tally.ts';
import type { RemovedTenants } from '../../shared/agent/entrypoints/removed-tenants.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createDays } from '../../shared/aws/days.ts';
import { createGraves } from '../../shared/aws/graves.ts';
import { createListings } from '../../shared/aws/listings.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createRemovedTenants } from '../../shared/aws/removed-tenants.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import { sealedDynamo } from '../../shared/aws/sealed-dynamo.ts';
import { sealedS3 } from '../../shared/aws/sealed-s3.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type EmbeddedKeys, startEmbeddedKeys } from './aws-keys.ts';
import { storesOn } from './aws-stores.ts';
import { anEvent, aSession, now } from './harness.ts';
import { aSchedule } from './schedules.ts';

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

/** Two tenants with a listed session, one that is only due, a schedule, a counted day, and objects. */
async function open() {
  const { bucket, clients } = await aws.withBucket();
  const { plain } = await keys.openTable();
  const own = await keys.openKeys();
  const dynamo = sealedDynamo(plain, own);
  const blobs = createBlobs(sealedS3(clients.s3(), own), bucket);
  const { sessions, inbox } = storesOn(blobs, dynamo);
  const schedules = createSchedules(dynamo, { now: () => now });
  const days = createDays(plain);
  for (const tenant of ['acme', 'globex']) {
    for (const sessionId of ['listed', 'due']) {
      const key = { tenant, sessionId };
      await sessions.create(aSession({ key }));
      await inbox.accept(key, anEvent('e1'), now);
    }
    const { totals } = aSession();
    const standing = { agent: 'triage', state: 'completed', steps: 1, totals, at: now, order: 2 } as const;
    await createListings(dynamo).moved({ tenant, sessionId: 'listed' }, standing);
    await schedules.create(aSchedule('report', {}, tenant));
    await days.begin(tenant, '2026-11-22', now);
    await days.put(tenant, { day: '2026-11-21', tally: emptyTally });
    for (const key of [`${tenant}/s1/x`, `${tenant}#s1/x`, `_uploads/${tenant}/u1`])
      await blobs.put(key, 'words');
  }
  const purge = createPurge(aws.s3, bucket);
  const removed = createRemovedTenants({ dynamo: plain, keyTable: own.keyTable, purge });
  const plainBlobs = createBlobs(clients.s3(), bucket);
  return {
    own,
    plain,
    sessions,
    schedules,
    days,
    removed,
    blobs: plainBlobs,
    graves: createGraves(plain, purge),
  };
}

async function found(removed: RemovedTenants, tenant: string): Promise<string[]> {
  const keys: SessionKey[] = [];
  for await (const page of removed.sessions(tenant)) keys.push(...page);
  expect(keys.every((key) => key.tenant === tenant)).toBe(true);
  return [...new Set(keys.map(({ sessionId }) => sessionId))].sort();
}

test('a tenant whose key was deleted is removed unread, and another one stays as it was', async () => {
  const { own, sessions, schedules, days, removed, blobs, graves } = await open();
  expect(await removed.all()).toEqual([]);
  await own.remove('acme', 'operator', now);
  expect(await removed.all()).toEqual([{ tenant: 'acme', deletedAt: now }]);

  await removed.clear('acme');
  expect(await blobs.has('_uploads/acme/u1')).toBe(false);
  expect(await blobs.has('_uploads/globex/u1')).toBe(true);
  expect(await schedules.page('acme', '', 10)).toEqual([]);
  expect(await schedules.page('globex', '', 10)).toHaveLength(1);
  const daysOf = (tenant: string) => days.read(tenant, '2026-11-01', '2026-12-01');
  expect([(await daysOf('acme')).length, (await daysOf('globex')).length]).toEqual([0, 1]);
  for await (const page of days.due(now)) expect(page.map(({ tenant }) => tenant)).toEqual(['globex']);

  expect(await found(removed, 'acme')).toEqual(['due', 'listed']);
  for (const sessionId of ['due', 'listed']) {
    await removed.buryUnread({ tenant: 'acme', sessionId }, now);
    await removed.buryUnread({ tenant: 'acme', sessionId }, now + 1);
    // The first time stands, as for every other tombstone.
    expect(await graves.read({ tenant: 'acme', sessionId })).toMatchObject({ buriedAt: now });
  }
  expect(await found(removed, 'acme')).toEqual([]);
  expect(await found(removed, 'globex')).toEqual(['due', 'listed']);
  expect(await sessions.read({ tenant: 'globex', sessionId: 'due' })).toBeDefined();

  await removed.finish('acme');
  expect(await removed.all()).toEqual([]);
  for (const key of ['acme/s1/x', 'acme#s1/x']) expect(await blobs.has(key), key).toBe(false);
  for (const key of ['globex/s1/x', 'globex#s1/x']) expect(await blobs.has(key), key).toBe(true);
  expect(await own.read('acme')).toMatchObject({ state: 'deleted' });
});

test('a note whose writer died before the deletion removes nothing', async () => {
  const { own, removed } = await open();
  await own.keyTable.put({ pk: '_deleted', sk: 'acme' });
  expect(await removed.all()).toEqual([]);
});

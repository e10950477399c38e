/** What ends, and what goes on, when the key of a tenant was deleted. */

import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { settleBatch } from '../../../functions/middleware/settle-batch.ts';
import { hashOfDeclared } from '../../../shared/agent/define/declared-schedules.ts';
import { defineSchedule } from '../../../shared/agent/define/schedule.ts';
import { eraseBuried } from '../../../shared/agent/entrypoints/erase.ts';
import { buryAged } from '../../../shared/agent/entrypoints/retention.ts';
import { storeDeclared } from '../../../shared/agent/entrypoints/schedules/sync.ts';
import { TenantKeyDeleted } from '../../../shared/agent/plain/tenant-key-deleted.ts';
import type { SessionStore } from '../../../shared/agent/ports/sessions.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import { openedLinks } from '../../../shared/aws/opened-links.ts';
import { createQueue } from '../../../shared/aws/queue.ts';
import { Wake } from '../../../shared/contract/queue.ts';
import type { ScheduleKey } from '../../../shared/contract/schedules.ts';
import { createAges } from '../../../shared/memory/ages.ts';
import { createLinks } from '../../../shared/memory/links.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { scheduleWorld } from '../schedules/schedule-world.ts';

const gone = () => Promise.reject(new TenantKeyDeleted('acme'));
const keyOf = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });

test('a message of the tenant is acknowledged, and those of others beside it come back if they fail', async () => {
  const records = ['acme', 'globex'].map((tenant) => ({
    ...{ messageId: tenant, receiptHandle: 'r', body: JSON.stringify(keyOf('s1', tenant)) },
    ...{ eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:steps', attributes: {} },
  }));
  const context = { awsRequestId: 'i1', getRemainingTimeInMillis: () => 1_000 } as Context;
  const settle = ({ tenant }: Wake) => (tenant === 'acme' ? gone() : Promise.reject(new Error('throttled')));
  const answer = await settleBatch({ Records: records } as unknown as SQSEvent, context, Wake, settle);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'globex' }] });
});

describe('a sweep', () => {
  test('erases a buried fork although the session that it was forked from cannot be read', async () => {
    const world = memoryWorld();
    await world.sessions.create(newSession(keyOf('fork'), 'test', 'd'));
    await world.graves.bury(keyOf('fork'), world.clock.now(), { origin: 's1' });
    const sessions: Pick<SessionStore, 'removeFork'> = { removeFork: gone };
    const io = { ...world, sessions, limits: { forget: async () => undefined } };
    expect(await eraseBuried(io)).toEqual({ erased: 1, closed: 0 });
    expect(world.graves.left(keyOf('fork'))).toEqual(['graves']);
  });

  test('deletes aged sessions of other tenants beside those that cannot be read', async () => {
    const world = memoryWorld();
    for (const key of [keyOf('s1'), keyOf('s2', 'globex')]) {
      const session = newSession(key, 'test', 'd');
      await world.sessions.create(session);
      const { totals } = session;
      const standing = { agent: 'test', state: 'completed', steps: 1, totals, at: 1, order: 2 } as const;
      await world.listings.moved(key, standing);
    }
    const read: SessionStore['read'] = (key) => (key.tenant === 'acme' ? gone() : world.sessions.read(key));
    const ages = createAges(world.listings);
    const io = { ...world, sessions: { ...world.sessions, read }, ages };
    expect(await buryAged(io, 1_000)).toBe(1);
    expect(await world.graves.read(keyOf('s2', 'globex'))).toBeDefined();
    expect(await world.graves.read(keyOf('s1'))).toBeUndefined();
  });
});

describe('a link to a sealed object', () => {
  const as = { name: 'a.txt', mediaType: 'text/plain', seconds: 60 };

  test('leads to a copy beside the uploads, which is made once', async () => {
    const world = memoryWorld();
    const puts: string[] = [];
    const blobs = {
      ...world.blobs,
      putBytes: async (key: string, bytes: Uint8Array) => {
        puts.push(key);
        await world.blobs.putBytes(key, bytes);
      },
    };
    await world.blobs.put('acme/s1/content/h', 'words');
    const links = openedLinks(createLinks(world.blobs, world.clock), blobs, world.clock);
    const [first, second] = [
      await links.downloadFrom('acme/s1/content/h', as),
      await links.downloadFrom('acme/s1/content/h', as),
    ];
    expect(puts).toEqual([expect.stringMatching(/^_uploads\/acme\/opened-[0-9a-f]+$/)]);
    for (const url of [first, second]) expect(decodeURIComponent(url)).toContain(puts[0]);
    expect(await world.blobs.get(puts[0] ?? '')).toBe('words');
    await world.clock.advance(13 * 3_600_000);
    await links.downloadFrom('acme/s1/content/h', as);
    expect(puts).toHaveLength(2);
  });

  test('leads to nothing if there is no object, and rejects when the key was deleted', async () => {
    const world = memoryWorld();
    const inner = createLinks(world.blobs, world.clock);
    const url = await openedLinks(inner, world.blobs, world.clock).downloadFrom('acme/none', as);
    expect(decodeURIComponent(url)).toContain('acme/none');
    const sealed = { ...world.blobs, getBytes: gone };
    await expect(openedLinks(inner, sealed, world.clock).downloadFrom('acme/x', as)).rejects.toThrow(
      TenantKeyDeleted,
    );
  });
});

test('declared schedules of other tenants are stored beside those of the tenant, which are left out', async () => {
  const world = await scheduleWorld();
  const schedules = {
    ...world.schedules,
    read: (key: ScheduleKey) => (key.tenant === 'acme' ? gone() : world.schedules.read(key)),
  };
  const daily = defineSchedule({
    ...{
      name: 'daily',
      agent: 'triage',
      when: { every: '1d' },
      message: 'Report.',
      tenants: ['acme', 'globex'],
    },
  });
  await storeDeclared([daily], { ...world, schedules });
  expect(await world.schedules.page('globex', '', 10)).toHaveLength(1);
  expect(await world.schedules.page('acme', '', 10)).toEqual([]);
  // A repetition finds nothing to do.
  expect((await world.schedules.declared())?.hash).toBe(hashOfDeclared([daily]));
});

test('wakes bring no slots where their queue would hold them unsealed', async () => {
  const sent: object[] = [];
  const client = { send: async ({ input }: { input: object }) => void sent.push(input) };
  const wake = { ...keyOf('s1'), recent: { epoch: 1, slots: [{ n: 0 }] } };
  await createQueue(client as unknown as SQSClient, { steps: ['steps'] }).send(wake);
  await createQueue(client as unknown as SQSClient, { steps: ['steps'], withoutSlots: true }).send(wake);
  expect(sent[0]).toHaveProperty('MessageAttributes');
  expect(sent[1]).not.toHaveProperty('MessageAttributes');
  expect(JSON.stringify(sent[1])).not.toContain('slots');
});

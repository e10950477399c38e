import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDynamo, type Dynamo, type Item } from '../../shared/aws/dynamo.ts';
import { headKey, messagesKey, runningKey } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import type { Limits } from '../../shared/edge/limits.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { openAwsStores } from './aws-stores.ts';
import { limitsContract } from './limits.ts';

const MINUTE = 60_000;
/** Any source of randomness will do. */
const ids = { random: Math.random };

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

limitsContract('aws', async (clock, options) => {
  const { tableName, sessions, inbox } = await openAwsStores(aws);
  const limits = createLimits(createDynamo(aws.clients.dynamo(), tableName), { clock, ids }, options);
  return { limits, sessions, inbox };
});

describe('aws limits', () => {
  let clock: VirtualClock;
  let dynamo: Dynamo;
  let limits: Limits;
  let headReads: number;
  beforeEach(async () => {
    clock = virtualClock();
    await clock.advance(MINUTE - (clock.now() % MINUTE));
    headReads = 0;
    const table = createDynamo(aws.clients.dynamo(), await aws.createTable());
    dynamo = {
      ...table,
      getAll: (keys) => {
        headReads += keys.length;
        return table.getAll(keys);
      },
    };
    limits = createLimits(dynamo, { clock, ids }, { messagesPerMinute: 3, sessionsAtOnce: 2 });
  });

  const runs = (sessionId: string, tenant = 'acme') =>
    dynamo.put({ ...headKey({ tenant, sessionId }), dueAt: clock.now() });
  /** Does what the last commit of a run that began just now does. */
  const ends = (sessionId: string) =>
    dynamo.put({ ...headKey({ tenant: 'acme', sessionId }), run: { startedAt: clock.now() } } as Item);
  const keyOf = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });
  const session = async (sessionId: string, tenant?: string) => {
    const placed = await limits.session(keyOf(sessionId, tenant));
    return 'since' in placed ? 'admitted' : placed;
  };

  /** Does what a message that is admitted and accepted does. */
  async function start(sessionId: string) {
    const admission = await session(sessionId);
    if (admission === 'admitted') await runs(sessionId);
    return admission;
  }

  test('of sessions do not count one that waits for a person, though its wait will expire', async () => {
    await start('s1');
    await start('s2');
    const run = { startedAt: clock.now() };
    const waits = (dueAt: number) =>
      dynamo.put({ ...headKey(keyOf('s1')), dueAt, run, state: 'waiting_for_input' });
    await waits(clock.now());
    expect(await start('s3')).not.toBe('admitted');
    await clock.advance(2_000);
    await waits(clock.now() + 1);
    expect(await start('s3')).toBe('admitted');
  });

  test('of sessions keep the place of a session that starts again while the others are checked', async () => {
    await start('s1');
    await start('s2');
    await clock.advance(10);
    for (const id of ['s1', 's2']) await ends(id);
    await clock.advance(10);
    const getAll = dynamo.getAll;
    dynamo = Object.assign(dynamo, {
      getAll: async (keys: Parameters<typeof getAll>[0]) => {
        const heads = await getAll(keys);
        await session('s1');
        return heads;
      },
    });
    expect(await start('s3')).toBe('admitted');
    expect(await start('s4')).not.toBe('admitted');
    expect(await start('s1')).toBe('admitted');
  });

  test('of sessions check the sessions at most every 2 s while a tenant is at its limit', async () => {
    await start('s1');
    await start('s2');
    for (let i = 0; i < 5; i++) expect(await start('s3')).not.toBe('admitted');
    expect(headReads).toBe(2);
    await ends('s1');
    expect(await start('s3')).not.toBe('admitted');
    await clock.advance(2_000);
    expect(await start('s3')).toBe('admitted');
  });

  test('of sessions check again when the process that was checking died', async () => {
    await start('s1');
    await start('s2');
    await ends('s1');
    const { getAll } = dynamo;
    dynamo.getAll = () => Promise.reject(new Error('died'));
    await expect(session('s3')).rejects.toThrow('died');
    dynamo.getAll = getAll;
    expect(await start('s3')).not.toBe('admitted');
    await clock.advance(2_000);
    expect(await start('s3')).toBe('admitted');
    expect(await start('s4')).not.toBe('admitted');
  });

  test('of sessions find entries from when one item held them all', async () => {
    const places = Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`s${i}`, clock.now()]));
    await dynamo.put({ ...runningKey('acme', 0), places });
    for (const sessionId of Object.keys(places).slice(1)) await runs(sessionId);
    // That session has begun, and ended.
    await ends('s0');
    const many = createLimits(dynamo, { clock, ids }, { messagesPerMinute: 3, sessionsAtOnce: 230 });
    expect(await many.session(keyOf('s7'))).toMatchObject({ since: expect.any(Number) });
    const others = Array.from({ length: 10 }, (_, i) => `other${i}`);
    for (const id of others)
      expect(await many.session(keyOf(id))).toMatchObject({ since: expect.any(Number) });
    expect(headReads).toBe(230);
    const kept = await dynamo.get(runningKey('acme', 0));
    expect(Object.keys(kept?.places)).toHaveLength(229);
  });

  test('of messages admit what any item of a large tenant has left, and no more', async () => {
    const many = createLimits(dynamo, { clock, ids }, { messagesPerMinute: 20_000, sessionsAtOnce: 2 });
    const minute = clock.now() / MINUTE;
    for (const n of [0, 1, 2, 3]) await dynamo.put({ ...messagesKey('acme', minute, n), count: 4_998 });
    const admissions = await Promise.all(Array.from({ length: 20 }, () => many.message('acme')));
    expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(8);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDynamo, type Dynamo, type Item } from '../../shared/aws/dynamo.ts';
import { headKey } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import type { Limits } from '../../shared/edge/limits.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';

const MINUTE = 60_000;

describe('aws limits', () => {
  let aws: EmbeddedAws;
  let clock: VirtualClock;
  let dynamo: Dynamo;
  let limits: Limits;
  let headReads: number;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
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
    limits = createLimits(dynamo, clock, { messagesPerMinute: 3, sessionsAtOnce: 2 });
  });

  const runs = (sessionId: string, tenant = 'acme') =>
    dynamo.put({ ...headKey({ tenant, sessionId }), dueAt: clock.now() });
  /** As the last commit of a run that began just now. */
  const ends = (sessionId: string) =>
    dynamo.put({ ...headKey({ tenant: 'acme', sessionId }), run: { startedAt: clock.now() } } as Item);
  const keyOf = (sessionId: string, tenant = 'acme') => ({ tenant, sessionId });
  const session = async (sessionId: string, tenant?: string) => {
    const placed = await limits.session(keyOf(sessionId, tenant));
    return 'since' in placed ? 'admitted' : placed;
  };

  /** As a message that is admitted and accepted does. */
  async function start(sessionId: string) {
    const admission = await session(sessionId);
    if (admission === 'admitted') await runs(sessionId);
    return admission;
  }

  describe('of messages', () => {
    test('let as many in as may come in a minute, and say when the next one may', async () => {
      await clock.advance(20_500);
      for (let i = 0; i < 3; i++) expect(await limits.message('acme')).toBe('admitted');
      expect(await limits.message('acme')).toEqual({ retryAfterSeconds: 40 });
      await clock.advance(39_000);
      expect(await limits.message('acme')).toEqual({ retryAfterSeconds: 1 });
      await clock.advance(1_000);
      expect(await limits.message('acme')).toBe('admitted');
    });

    test('of many at once let in exactly as many', async () => {
      const admissions = await Promise.all(Array.from({ length: 10 }, () => limits.message('acme')));
      expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(3);
    });

    test('are each tenant’s own', async () => {
      for (let i = 0; i < 4; i++) await limits.message('acme');
      expect(await limits.message('acme')).not.toBe('admitted');
      expect(await limits.message('globex')).toBe('admitted');
    });
  });

  describe('of sessions', () => {
    test('let in as many as may run at once', async () => {
      expect([await start('s1'), await start('s2'), await start('s3')]).toEqual([
        'admitted',
        'admitted',
        { retryAfterSeconds: 5 },
      ]);
      expect(await start('s1')).toBe('admitted');
    });

    test('of many at once let in exactly as many', async () => {
      const admissions = await Promise.all(Array.from({ length: 8 }, (_, i) => start(`s${i}`)));
      expect(admissions.filter((admission) => admission === 'admitted')).toHaveLength(2);
    });

    test('see that a session has come to rest when its room is needed, though nobody told them', async () => {
      await start('s1');
      await start('s2');
      await ends('s1');
      expect(await start('s3')).toBe('admitted');
      expect(await start('s4')).not.toBe('admitted');
    });

    test('do not count one that waits for a person, though it is due to give up some time', async () => {
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

    test('count one that waits for queued calls, which are due only when they are lost', async () => {
      await start('s1');
      await start('s2');
      const head = headKey({ tenant: 'acme', sessionId: 's1' });
      await dynamo.put({ ...head, dueAt: clock.now() + 3_600_000, state: 'waiting_for_tool' });
      expect(await start('s3')).not.toBe('admitted');
    });

    test('count starts that are on their way, however many come at once', async () => {
      const burst = await Promise.all(Array.from({ length: 30 }, (_, i) => session(`s${i}`)));
      expect(burst.filter((admission) => admission === 'admitted')).toHaveLength(2);
      for (let i = 0; i < 5; i++) {
        await clock.advance(2_000);
        expect(await session(`late${i}`)).not.toBe('admitted');
      }
    });

    test('give the place of a start that died to another one, after as long as a start takes', async () => {
      await session('died1');
      await session('died2');
      await clock.advance(29_000);
      expect(await session('s1')).not.toBe('admitted');
      await clock.advance(2_000);
      expect(await start('s1')).toBe('admitted');
      expect(await start('s2')).toBe('admitted');
    });

    test('give a place that was given back to another one at once, unless its session runs', async () => {
      await runs('s1');
      const places = [await limits.session(keyOf('s1')), await limits.session(keyOf('s2'))];
      for (const [i, place] of places.entries())
        if ('since' in place) await limits.giveBack(keyOf(`s${i + 1}`), place);
      expect(await start('s3')).toBe('admitted');
      expect(await start('s4')).not.toBe('admitted');
    });

    test('do not give back the place of a later start in the same session', async () => {
      const place = await limits.session(keyOf('s1'));
      await clock.advance(10);
      await session('s1');
      if ('since' in place) await limits.giveBack(keyOf('s1'), place);
      await start('s2');
      expect(await start('s3')).not.toBe('admitted');
    });

    test('keep the place of a session that starts again while the others are looked at', async () => {
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

    test('look at the sessions at most every 2 s while a tenant is at its limit', async () => {
      await start('s1');
      await start('s2');
      for (let i = 0; i < 5; i++) expect(await start('s3')).not.toBe('admitted');
      expect(headReads).toBe(2);
      await ends('s1');
      expect(await start('s3')).not.toBe('admitted');
      await clock.advance(2_000);
      expect(await start('s3')).toBe('admitted');
    });

    test('look at more sessions than one read takes', async () => {
      const many = createLimits(dynamo, clock, { messagesPerMinute: 3, sessionsAtOnce: 230 });
      const ids = Array.from({ length: 230 }, (_, i) => `s${i}`);
      for (const sessionId of ids) await many.session(keyOf(sessionId));
      for (const sessionId of ids.slice(1)) await runs(sessionId);
      // That one has begun, and ended.
      await ends('s0');
      expect(await many.session(keyOf('next'))).toMatchObject({ since: expect.any(Number) });
      expect(headReads).toBe(230);
    });

    test('are each tenant’s own', async () => {
      for (const id of ['s1', 's2', 's3']) await start(id);
      expect(await session('s3', 'globex')).toBe('admitted');
    });
  });
});

import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WireItem } from '../../local/stack/services/item-bytes.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { runningKey } from '../../shared/aws/layout.ts';
import { createLimits } from '../../shared/aws/limits.ts';
import type { LimitOptions } from '../../shared/edge/limits.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { writeUnits } from '../support/item-size.ts';

/** Write units a second of one partition (DynamoDB's developer guide, "Designing partition keys"). */
const PARTITION = 1_000;
/** The test uses half a second, or a quarter, of a thousand requests a second. */
const [HALF, QUARTER] = [500, 250];

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

describe('aws: the hottest item of a tenant’s limits', () => {
  let clock: VirtualClock;
  let dynamo: Dynamo;
  /** Write units by partition. Refused writes consume them too. */
  let units: Map<string, number>;
  let running: Set<string>;
  beforeEach(async () => {
    clock = virtualClock();
    units = new Map();
    running = new Set();
    const table = createDynamo(aws.clients.dynamo(), await aws.createTable());
    dynamo = {
      ...table,
      async update(update) {
        const written = await table.update(update);
        const { pk } = update.key;
        const cost = writeUnits(marshall(written.item ?? update.key) as unknown as WireItem);
        units.set(pk, (units.get(pk) ?? 0) + cost);
        return written;
      },
      // The only thing that matters about HEAD here is whether its session runs.
      getAll: async (keys) =>
        keys
          .filter(({ pk }) => running.has(pk.split('#')[1] ?? ''))
          .map((key) => ({ ...key, dueAt: clock.now() })),
    };
  });
  const limitsOf = (over: Partial<LimitOptions>) => {
    const options = { messagesPerMinute: 1, sessionsAtOnce: 1, ...over };
    return createLimits(dynamo, { clock, ids: { random: Math.random } }, options);
  };

  test('stays far below the limit of a partition, at a thousand starts a second', async () => {
    const limits = limitsOf({ sessionsAtOnce: 2_000 });
    // Each item is nearly full: 70 sessions run, and 25 have ended.
    for (let n = 0; n < 20; n++) {
      const ids = Array.from({ length: 95 }, () => randomUUID());
      for (const id of ids.slice(0, 70)) running.add(id);
      await dynamo.put({ ...runningKey('acme', n), places: Object.fromEntries(ids.map((id) => [id, 0])) });
    }
    for (let i = 0; i < HALF; i++) {
      const sessionId = randomUUID();
      // So 1,900 run in the end.
      expect(await limits.session({ tenant: 'acme', sessionId })).toMatchObject({ since: clock.now() });
      running.add(sessionId);
      await clock.advance(1);
    }
    expect(units.size).toBe(20);
    expect(Math.max(...units.values())).toBeLessThan(PARTITION / 2 / 2);
  });

  test('stays far below the limit of a partition, at a thousand messages a second', async () => {
    const limits = limitsOf({ messagesPerMinute: 60_000 });
    for (let i = 0; i < QUARTER; i++) expect(await limits.message('acme')).toBe('admitted');
    expect(units.size).toBe(12);
    expect(Math.max(...units.values())).toBeLessThan(PARTITION / 4 / 5);
  });

  test('is the only one of a small tenant, and costs one write per start', async () => {
    const limits = limitsOf({ sessionsAtOnce: 2 });
    const costs: number[] = [];
    const writes = async (sessionId: string) => {
      const before = units.get(runningKey('acme', 0).pk) ?? 0;
      await limits.session({ tenant: 'acme', sessionId });
      running.add(sessionId);
      costs.push((units.get(runningKey('acme', 0).pk) ?? 0) - before);
    };
    // The first start makes the item. The last but one checks which sessions run, so the last one need not.
    for (const sessionId of ['s1', 's2', 's1', 's3', 's3']) await writes(sessionId);
    expect(costs).toEqual([2, 1, 1, 2, 1]);
    expect([...units.keys()]).toEqual([runningKey('acme', 0).pk]);
  });
});

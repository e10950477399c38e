import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../shared/agent/entrypoints/sweep.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { newHead } from '../../shared/aws/head.ts';
import { duePlaceOf } from '../../shared/aws/layout.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { overdueAt } from '../support/overdue.ts';
import { openAwsStores } from './aws-stores.ts';
import { aSession, minutes, now } from './harness.ts';

/** Every tenth session has the index entry of a version before shards. */
const SESSIONS = 3_000;

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

test(`aws: one sweep wakes ${SESSIONS} overdue sessions, each once`, { timeout: 120_000 }, async () => {
  const stores = await openAwsStores(aws);
  const dynamo = createDynamo(aws.clients.dynamo(), stores.tableName);
  const overdueSince = (i: number) => now - (i % 20) * minutes;
  const put = async (i: number) => {
    const key = { tenant: 'acme', sessionId: `s${i}` };
    const sweepAt = overdueSince(i);
    const dueShard = i % 10 === 0 ? 'due' : duePlaceOf(key).dueShard;
    await dynamo.put({
      ...newHead(aSession({ key })),
      dueAt: sweepAt,
      sweepAt,
      backstopAt: sweepAt,
      dueShard,
    });
  };
  for (let i = 0; i < SESSIONS; i += 100)
    await Promise.all(Array.from({ length: 100 }, (_, n) => put(i + n)));

  const queue = createQueue(aws.clients.sqs(), { steps: [await aws.createQueue('steps')] });
  const woken: string[] = [];
  const io = {
    clock: { now: () => now, sleep: async () => undefined },
    sessions: stores.sessions,
    queue: {
      ...queue,
      async send(...args: Parameters<typeof queue.send>) {
        await queue.send(...args);
        woken.push(args[0].sessionId);
      },
    },
  };
  expect(await sweep(io)).toEqual({ woken: SESSIONS, all: true });
  expect(woken).toHaveLength(SESSIONS);
  expect(new Set(woken).size).toBe(SESSIONS);
  expect(await overdueAt(stores, now)).toEqual([]);
  expect(await overdueAt(stores, now + 5 * minutes)).toHaveLength(SESSIONS);
});

import { sweep } from '../../shared/agent/entrypoints/sweep.ts';
import { newSession } from '../../shared/agent/session/session.ts';
import { wakeFor } from '../../shared/agent/session/wake.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { newHead } from '../../shared/aws/head.ts';
import { duePlaceOf } from '../../shared/aws/layout.ts';
import { createQueue } from '../../shared/aws/queue.ts';
import { createSessions } from '../../shared/aws/sessions.ts';
import { startEmbeddedAws } from '../../test/support/embedded-aws.ts';

/** Sessions that are written, or woken for the floor, in parallel: as many as a sweep processes, four pages of a hundred. */
const AT_ONCE = 400;

/** The result of a sweep, on the emulators of one machine. */
export interface Swept {
  readonly sessions: number;
  readonly woken: number;
  /** Sessions a second. */
  readonly rate: number;
  /** The same sessions without a search: one write and one message for each, and nothing else. */
  readonly floor: number;
}

/** One sweep of sessions that are all overdue, by the adapters for AWS, compared with the calls that it cannot do without. */
export async function sweptSessions(sessions: number): Promise<Swept> {
  const aws = await startEmbeddedAws();
  try {
    const dynamo = createDynamo(aws.clients.dynamo(), await aws.createTable());
    const bodies = createBodies(createBlobs(aws.clients.s3(), aws.bucket));
    const clock = { now: Date.now, sleep: async () => undefined };
    const store = createSessions({ dynamo, bodies, clock });
    const queue = createQueue(aws.clients.sqs(), { steps: [await aws.createQueue('steps')] });
    const all = Array.from({ length: sessions }, (_, i) =>
      newSession({ tenant: 'acme', sessionId: `s${i}` }, 'worker', 'hash'),
    );
    await inCrowds(all, async (session) => {
      const since = Date.now() - 3_600_000;
      const times = { dueAt: since, sweepAt: since, backstopAt: since };
      await dynamo.put({ ...newHead(session), ...times, dueShard: duePlaceOf(session.key).dueShard });
    });
    const begunAt = performance.now();
    const { woken } = await sweep({ clock, sessions: store, queue });
    const sweptAt = performance.now();
    await inCrowds(all, async (session) => {
      await store.postpone(session.key, Date.now() + 600_000, Date.now() + 1_200_000);
      await queue.send(wakeFor(session));
    });
    const rateOf = (ms: number) => (sessions / ms) * 1000;
    const floor = rateOf(performance.now() - sweptAt);
    return { sessions, woken, rate: rateOf(sweptAt - begunAt), floor };
  } finally {
    await aws.stop();
  }
}

async function inCrowds<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE)
    await Promise.all(all.slice(from, from + AT_ONCE).map(act));
}

export function showSwept({ sessions, woken, rate, floor }: Swept): void {
  console.log(
    `${woken} of ${sessions} overdue sessions woken by one sweep, ${rate.toFixed(0)} a second on this machine's emulators: ` +
      `${(rate / floor).toFixed(2)}x of one write and one message for each and nothing else (${floor.toFixed(0)} a second)`,
  );
}

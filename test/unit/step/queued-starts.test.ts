import { describe, expect, test } from 'vitest';
import { runCall } from '../../../shared/agent/entrypoints/call.ts';
import { calls, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { tool } from './reading.fixture.ts';

/** Time to begin, to keep the result, and until the message returns (`call.ts`, `effects.ts`), in ms. */
const [BEGIN, KEEP, AFTER] = [5_000, 5_000, 2_000];

/** A session whose call is on the tool queue, and a worker of it that lives for `livesMs`. */
async function queued(run: () => unknown, timeoutSeconds = 30, livesMs = 900_000) {
  const slow = tool('slow', run, { effect: 'idempotent', where: 'queue', timeoutSeconds });
  const world = await sessionWorld({ tools: [slow] }, scriptedModel(calls(['slow', {}]), says('Done.')));
  await world.say('Go.');
  await world.settle();
  const taken = world.queue.calls.receive();
  if (!taken) throw new Error('no call is queued');
  const hidden: number[] = [];
  const began = world.clock.now();
  const worker = (io: SessionWorld = world) =>
    runCall(
      taken.wake,
      { id: world.ids.next(), message: taken.handle, deadlineAt: began + livesMs },
      world.agentOf,
      { ...io, queue: { ...io.queue, hide: async (_handle, ms) => void hidden.push(ms) } },
    );
  const startOf = async () => Object.values((await world.view()).fence.started)[0];
  return { world, worker, hidden, began, startOf };
}

describe('the start of a queued call', () => {
  test('stands for as long as its worker may run it, and no longer', async () => {
    let seen: { until: number } | undefined;
    const { worker, began, startOf } = await queued(async () => {
      seen = await startOf();
      return 'ok';
    });
    await worker();
    expect(seen?.until).toBe(began + BEGIN + 30_000 + KEEP);
  });

  test('stands no longer than its worker lives', async () => {
    let seen: { until: number } | undefined;
    const { worker, began, startOf } = await queued(
      async () => {
        seen = await startOf();
        return 'ok';
      },
      30,
      20_000,
    );
    await worker();
    expect(seen?.until).toBe(began + 20_000);
  });

  test('hides its message for that long, so that no other worker is given a call that runs', async () => {
    const { worker, hidden } = await queued(() => 'ok');
    await worker();
    expect(hidden).toEqual([120_000, BEGIN + 30_000 + KEEP + AFTER]);
  });

  test('of another worker hides the message until that worker must be done', async () => {
    const { world, worker, hidden } = await queued(() => new Promise(() => undefined));
    void worker();
    await world.clock.advance(1_000);
    hidden.splice(0);
    expect(await worker()).toBe('retry');
    expect(hidden).toEqual([120_000, BEGIN + 30_000 + KEEP - 1_000 + AFTER]);
  });
});

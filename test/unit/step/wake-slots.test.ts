import { describe, expect, test } from 'vitest';
import { decide } from '../../../shared/agent/entrypoints/decide.ts';
import { hideMs } from '../../../shared/agent/step/open/lease.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import type { Wake } from '../../../shared/contract/queue.ts';
import { killBefore } from '../../../testing/faults.ts';
import { calls, fails, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { tool } from './reading.fixture.ts';

/** A session that calls a tool, and the number of reads of its slots. */
async function callingWorld(model = scriptedModel(calls(['get', {}]), says('done')), chars = 10) {
  const reads: number[] = [];
  const world = await sessionWorld({ tools: [tool('get', () => 'x'.repeat(chars))] }, model);
  const { slots } = world.sessions;
  world.sessions.slots = (key, from, page) => {
    reads.push(from);
    return slots(key, from, page);
  };
  await world.say('hi');
  return { world, reads };
}

const wakeOn = ({ queue }: { readonly queue: { messages(): readonly { readonly wake: Wake }[] } }) =>
  queue.messages()[0]?.wake;

describe('the wake after a commit', () => {
  test('contains the slots that its receiver would read, and these are not read', async () => {
    const { world, reads } = await callingWorld();
    await world.step();
    expect(wakeOn(world)?.recent).toEqual({ epoch: 1, slots: await world.slots() });
    reads.length = 0;
    await world.step();
    expect(reads).toEqual([]);
    expect(world.model.requests[1]?.messages).toHaveLength(3);
  });

  test("does not replace a new owner's read of its dead predecessor's slots", async () => {
    const { world, reads } = await callingWorld(scriptedModel(calls(['get', {}]), says('kept')));
    await world.step();
    reads.length = 0;
    world.faults.at('sessions.commit', killBefore);
    await world.step();
    await world.settle();
    expect(reads.length).toBeGreaterThan(0);
    expect(world.model.requests).toHaveLength(2);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('contains nothing of a step that has failed, and may have left something', async () => {
    const { world, reads } = await callingWorld(scriptedModel(calls(['get', {}]), fails(), says('done')));
    await world.step();
    await world.step();
    expect(wakeOn(world)?.recent).toBeUndefined();
    reads.length = 0;
    await world.settle();
    expect(reads.length).toBeGreaterThan(0);
    expect((await world.view()).session.state).toBe('completed');
  });

  test('contains nothing large', async () => {
    const { world, reads } = await callingWorld(undefined, 40_000);
    await world.step();
    expect(wakeOn(world)?.recent).toBeUndefined();
    reads.length = 0;
    await world.step();
    expect(reads.length).toBeGreaterThan(0);
  });

  test('of an epoch that is not the last one is not used', async () => {
    const { world, reads } = await callingWorld();
    await world.step();
    const { view } = await claimed(world);
    await world.sessions.commit({
      ...{ epoch: view.fence.epoch, seen: view.fence, session: view.session, incorporated: [], unmarked: [] },
      ...{ next: { kind: 'run', dueAt: 0 }, waits: 'keep', tail: [], now: world.clock.now() },
    });
    reads.length = 0;
    await world.step();
    expect(reads.length).toBeGreaterThan(0);
  });
});

async function claimed(world: Awaited<ReturnType<typeof sessionWorld>>) {
  const claim = await world.sessions.claim({
    key: world.key,
    invocationId: 'another',
    messageId: 'm',
    now: world.clock.now(),
    leaseMs: 60_000,
  });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return claim;
}

describe('its message', () => {
  /** How long a step's message was hidden, each time. */
  async function hiding(model: ReturnType<typeof scriptedModel>, tools: Tool[] = []) {
    const world = await sessionWorld({ tools }, model);
    const hidden: number[] = [];
    const { hide } = world.queue;
    world.queue.hide = (message, ms) => {
      hidden.push(ms);
      return hide(message, ms);
    };
    await world.say('hi');
    return { world, hidden };
  }

  test('of a quick step is not hidden', async () => {
    const { world, hidden } = await hiding(scriptedModel(says('ok')));
    await world.step();
    expect(hidden).toEqual([]);
  });

  test('of a long one comes back a little after its lease', async () => {
    const slow = scriptedModel(says('ok'));
    const { world, hidden } = await hiding(slow);
    world.faults.at('provider.complete', async (proceed) => {
      await world.clock.sleep(400);
      return proceed();
    });
    await world.step();
    expect(hidden).toEqual([hideMs(60_000)]);
  });

  test('of one that runs approved calls does so at once', async () => {
    const asked = tool('refund', () => 'done', { approval: 'always' });
    const { world, hidden } = await hiding(scriptedModel(calls(['refund', {}]), says('ok')), [asked]);
    await world.settle();
    expect(hidden).toEqual([]);
    const [wait] = (await world.view()).session.batch?.waits ?? [];
    await decide(world.key, wait?.id ?? '', { approved: true, by: 'ann' }, world);
    await world.step();
    expect(hidden).toEqual([hideMs(60_000)]);
  });

  test('of one that could not continue comes back then, too', async () => {
    const { world, hidden } = await hiding(scriptedModel(says('ok')));
    world.faults.at('sessions.putSlot', () => Promise.reject(new Error('throttled')));
    await expect(world.step()).rejects.toThrow('throttled');
    expect(hidden).toEqual([hideMs(60_000)]);
  });
});

import { describe, expect, test } from 'vitest';
import type { ResourceUse } from '../../../shared/agent/ports/ports.ts';
import { guardStats } from '../../../shared/agent/step/end/stats.ts';
import { killAfter } from '../../../testing/faults.ts';
import {
  calls,
  changed,
  fails,
  type Scripted,
  says,
  saysAndCalls,
  scriptedModel,
  usage,
} from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { ending, endings, notedTool, resultsOf, tool } from './reading.fixture.ts';
import { type Definition, drive, read, sameWhenKilled } from './rows.fixture.ts';

const get = tool('get');
const asks = (n: number, input = 100, output = 0) => changed(calls(['get', { n }]), usage(input, output));
const completed = { state: 'completed', reason: 'completed' };
const ranIn = (slots: Parameters<typeof resultsOf>[0]) =>
  resultsOf(slots).filter(({ outcome }) => outcome === 'ok').length;

describe('T4: the grace step', () => {
  const attocode = (maxSteps: number): Definition => ({
    tools: [get],
    guardrails: 'attocode',
    limits: { maxSteps },
  });

  test('T4: at the limit exactly one step that only replies, then max_steps', async () => {
    const noted = notedTool('get', 'once');
    const script = [asks(1), asks(2), saysAndCalls('One is left.', ['get', { n: 3 }])];
    const { end, told, asked } = await drive({ ...attocode(2), tools: [noted.tool] }, script);
    expect(asked).toBe(3);
    expect(noted.keys).toHaveLength(2);
    expect(told).toEqual(['grace_step']);
    expect(end).toEqual({ state: 'max_steps', reason: 'max_steps', steps: 3 });
  });

  test('T4: a run that finishes in time has none', async () => {
    expect(await drive(attocode(2), [asks(1), says('It is 7.')])).toMatchObject({ told: [], end: completed });
  });

  test('T4: an empty or cut final reply is still the final reply', async () => {
    for (const last of [says(''), changed(says('One is'), { stop: 'max_tokens' })]) {
      expect((await drive(attocode(1), [asks(1), last])).end).toMatchObject({ state: 'max_steps', steps: 2 });
    }
  });

  test('A4: without grace exactly max_steps calls are made', async () => {
    const { end, asked } = await drive(
      { tools: [get], guardrails: 'aar', limits: { maxSteps: 3 } },
      [1, 2, 3].map((n) => asks(n)),
    );
    expect([asked, end?.state]).toEqual([3, 'max_steps']);
  });

  test('T4: a death in the middle asks for no second final reply', async () => {
    await sameWhenKilled(() => ({ definition: attocode(1), script: [asks(1), says('One is left.')] }));
  });
});

describe('H17: tool calls of a run', () => {
  const batches = (sizes: readonly number[]): Scripted[] =>
    sizes.map((size, at) =>
      calls(...Array.from({ length: size }, (_, i): [string, object] => ['note', { at, i }])),
    );
  // No reads: H10 has its own limit for those.
  const note = tool('note', undefined, { effect: 'idempotent' });
  const hamr: Definition = { tools: [note], guardrails: 'hamr' };

  test('H17: 192 run', async () => {
    const { end, slots } = await drive(hamr, [...batches([96, 96]), says('It is 7.')]);
    expect(ranIn(slots)).toBe(192);
    expect(end).toMatchObject(completed);
  });

  test('H17: the 193rd is refused, and the run ends', async () => {
    const { end, slots, events } = await drive(hamr, batches([96, 96, 1]));
    expect(ranIn(slots)).toBe(192);
    expect(end).toEqual({ state: 'max_steps', reason: 'max_tool_calls', steps: 3 });
    expect(endings(events)[0]).toMatchObject({ guard: 'max_tool_calls' });
  });

  test('H17: no call of a batch that passes the limit runs', async () => {
    const { slots } = await drive({ ...hamr, limits: { maxToolCalls: 3 } }, batches([2, 2]));
    expect(ranIn(slots)).toBe(2);
  });

  test('H17: the next run counts afresh; deaths count nothing twice', async () => {
    const world = await sessionWorld(
      { ...hamr, limits: { maxToolCalls: 2 } },
      scriptedModel(...batches([2]), says('7.')),
    );
    for (const text of ['Go.', 'Again.']) {
      await world.say(text);
      world.faults.at('sessions.putSlot', killAfter, 2);
      await world.settle();
      world.model.answer(...batches([2]), says('7.'));
    }
    expect(endings(await world.events()).map(({ state }) => state)).toEqual(['completed', 'completed']);
  });

  test('T20: 25 of a reply run, the rest are refused', async () => {
    const { slots } = await drive({ tools: [note], guardrails: 'attocode' }, [
      ...batches([27]),
      says('It is 7.'),
    ]);
    expect(
      resultsOf(slots)
        .map(({ outcome }) => outcome)
        .filter((outcome) => outcome === 'refused'),
    ).toHaveLength(2);
    expect(resultsOf(slots).at(-1)?.content).toMatch(/^Error \[refused\]: /);
  });
});

describe('L7: active time', () => {
  /** A run whose first model call takes `ms`, and whose second asks for a tool. */
  const working = async (ms: number, waitMs = 0) => {
    const slow = tool('slow', async () => void (await world.clock.sleep(ms)), { effect: 'idempotent' });
    const waits: Scripted[] = waitMs > 0 ? [fails({ retryAfterMs: waitMs })] : [];
    const model = scriptedModel(calls(['slow', {}]), ...waits, calls(['get', {}]), says('It is 7.'));
    const world: SessionWorld = await sessionWorld(
      { tools: [slow, get], guardrails: 'praisonai-current' },
      model,
    );
    await world.say('Go.');
    await world.settle();
    return world;
  };

  test.each([
    { ms: 120_000, end: completed },
    { ms: 120_100, end: { state: 'timed_out', reason: 'timed_out' } },
  ])('L7: $ms ms', async ({ ms, end }) => {
    const world = await working(ms);
    expect(ending(await world.events())).toMatchObject(end);
    expect((await world.view()).session.run?.activeMs).toBe(ms);
  });

  test.each([
    { resets: true, end: completed, elapsed: 70 },
    { resets: false, end: { state: 'timed_out', reason: 'timed_out' }, elapsed: 140 },
  ])('L7, L16, U12: a message that joins restarts the time: $resets', async ({ resets, end, elapsed }) => {
    const slow = tool('slow', async () => void (await world.clock.sleep(70_000)));
    const script = [
      calls(['slow', { n: 1 }]),
      calls(['slow', { n: 2 }]),
      calls(['quick', {}]),
      says('It is 7.'),
    ];
    const guardrails = { preset: 'praisonai' as const, resetOnUserMessage: resets };
    const world: SessionWorld = await sessionWorld(
      { tools: [slow, tool('quick')], guardrails },
      scriptedModel(...script),
    );
    await world.say('Go.');
    await world.step();
    await world.say('By the way.');
    await world.settle();
    expect(ending(await world.events())).toMatchObject(end);
    const { session } = await world.view();
    expect(session.run?.activeMs).toBe(140_000);
    const pinned = await world.sessions.definition('acme', session.definition);
    if (!pinned) throw new Error('no definition');
    expect(guardStats(session, pinned).turnElapsedSeconds).toBe(elapsed);
  });

  test('L7: the halt is time_exceeded, and only a tool that is about to run is stopped', async () => {
    const world = await working(120_100);
    expect(endings(await world.events())[0]).toMatchObject({ guard: 'active_time', code: 'time_exceeded' });
    expect(ranIn(await world.slots())).toBe(1);
    const talks = tool('slow', async () => void (await other.clock.sleep(130_000)));
    const other: SessionWorld = await sessionWorld(
      { tools: [talks], guardrails: 'praisonai-current' },
      scriptedModel(calls(['slow', {}]), says('It is 7.')),
    );
    await other.say('Go.');
    await other.settle();
    expect(ending(await other.events())).toMatchObject(completed);
  });

  test('L7: an hour on the queue is not work', async () => {
    const world = await working(60_000, 600_000);
    expect(ending(await world.events())).toMatchObject(completed);
  });

  test('L7: the time of the model is work, and for parallel reads the longest of them', async () => {
    const slow = tool('slow', async ({ ms }) => void (await world.clock.sleep(Number(ms))));
    const thinks: Scripted = async () => {
      await world.clock.sleep(5_000);
      return calls(['slow', { ms: 1_000 }], ['slow', { ms: 3_000 }]);
    };
    const world: SessionWorld = await sessionWorld(
      { tools: [slow] },
      scriptedModel(thinks, says('It is 7.')),
    );
    await world.say('Go.');
    await world.settle();
    expect((await world.view()).session.run?.activeMs).toBe(8_000);
  });
});

describe('T2: resources of the worker', () => {
  const under = async (use: () => ResourceUse, script: readonly Scripted[] = [says('It is 7.')]) => {
    const world = await sessionWorld({ tools: [get] }, scriptedModel(...script), {
      resources: { read: use },
    });
    await world.say('Go.');
    await world.settle();
    return read(world);
  };

  test.each<{ use: ResourceUse; end: object; said: string[] }>([
    { use: { memory: 0.899 }, end: completed, said: [] },
    { use: { memory: 0.9 }, end: completed, said: ['resources/memory_low'] },
    { use: { memory: 0.999 }, end: completed, said: ['resources/memory_low'] },
    {
      use: { memory: 1 },
      end: { state: 'error', reason: 'resource_limit' },
      said: ['resources/memory_full'],
    },
    {
      use: { memory: 1.01 },
      end: { state: 'error', reason: 'resource_limit' },
      said: ['resources/memory_full'],
    },
    {
      use: { memory: 0.5, disk: 1 },
      end: { state: 'error', reason: 'resource_limit' },
      said: ['resources/disk_full'],
    },
    { use: { files: 0.95 }, end: completed, said: ['resources/files_low'] },
    { use: {}, end: completed, said: [] },
  ])('T2: $use', async ({ use, end, said }) => {
    const ran = await under(() => use);
    expect(ran.end).toMatchObject(end);
    expect(ran.said).toEqual(said);
  });

  test('T2: warns once in a run', async () => {
    const { said } = await under(() => ({ memory: 0.95 }), [asks(1), asks(2), says('It is 7.')]);
    expect(said).toEqual(['resources/memory_low']);
  });

  test('T2: each resource is warned about, once in a run', async () => {
    const uses = [{ memory: 0.95 }, { memory: 0.96, disk: 0.91 }, { memory: 0.96, disk: 0.97, files: 0.93 }];
    let n = 0;
    const { said } = await under(
      () => uses[Math.min(n++, 2)] ?? {},
      [asks(1), asks(2), asks(3), says('It is 7.')],
    );
    expect(said).toEqual(['resources/memory_low', 'resources/disk_low', 'resources/files_low']);
  });

  test('T2: of two that run low at once the fuller one is reported first', async () => {
    const { said } = await under(() => ({ memory: 0.92, disk: 0.95 }), [asks(1), asks(2), says('It is 7.')]);
    expect(said).toEqual(['resources/disk_low', 'resources/memory_low']);
  });

  test('T2: little time left is no limit: the next invocation continues', async () => {
    const slow: Scripted = async ({ signal }) => {
      await world.clock.sleep(60_000, signal);
      return says('', { stop: 'interrupted' });
    };
    const world: SessionWorld = await sessionWorld({}, scriptedModel(slow, says('It is 7.')));
    await world.say('Go.');
    await world.step({ deadlineMs: 20_000 });
    await world.settle();
    expect(ending(await world.events())).toMatchObject(completed);
  });
});

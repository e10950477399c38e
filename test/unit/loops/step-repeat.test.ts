import { describe, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { ofType, tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times } from './loops.fixture.ts';

const halted = { state: 'error', reason: 'loop_halt' };
const get = tool('get');

describe('A12: the preset aar', () => {
  const aar = { guardrails: 'aar' as const, tools: [get] };

  test('A12: three identical steps run, the fourth runs nothing and has no call', async () => {
    const { end, events, results } = await looped(aar, ...times(4, 'get', { id: 1 }));
    expect(end).toEqual({ ...halted, steps: 4 });
    expect(results).toHaveLength(3);
    expect(ofType(events, 'TOOL_CALL_START')).toHaveLength(3);
    expect(ofType(events, 'RUN_ERROR')).toHaveLength(1);
  });

  test('A12: three are allowed', async () => {
    expect((await looped(aar, ...times(3, 'get', { id: 1 }))).end).toMatchObject({
      state: 'completed',
      steps: 4,
    });
  });

  const long = (letters: number) => (i: number) => ({ text: `${'a'.repeat(letters)}${i}`, n: 1 });

  test('A12: values that differ only after 200 characters look equal', async () => {
    expect((await looped(aar, ...times(4, 'get', long(200)))).end).toMatchObject(halted);
  });

  test('A12: values that differ at character 200 differ', async () => {
    expect((await looped(aar, ...times(4, 'get', long(199)))).end).toMatchObject({ state: 'completed' });
  });

  test('A12: the default compares whole values', async () => {
    const off = { loop: { callStreak: { read: { limit: 0 } } } };
    const { end } = await looped({ guardrails: off, tools: [get] }, ...times(4, 'get', long(200)));
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('A12: results are ignored: a poll that progresses halts too', async () => {
    let n = 0;
    const poll = tool('check_status', () => ({ percent: ++n }));
    const { end } = await looped({ guardrails: 'aar', tools: [poll] }, ...times(4, 'check_status'));
    expect(end).toMatchObject(halted);
  });

  test('A12: the count continues over messages, as in its source (U12)', async () => {
    const world = await loop(
      aar,
      ...times(2, 'get', { id: 1 }),
      says('pause'),
      ...times(2, 'get', { id: 1 }),
    );
    await world.settle();
    await world.say('go on');
    await world.settle();
    expect((await read(world)).end).toMatchObject(halted);
  });

  test('A12: after a halt the next message still starts afresh', async () => {
    const world = await loop(aar, ...times(4, 'get', { id: 1 }), ...times(3, 'get', { id: 1 }));
    await world.settle();
    expect((await read(world)).end).toMatchObject(halted);
    await world.say('go on');
    await world.settle();
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});

describe('U1: whether results are compared', () => {
  const off = {
    callStreak: { read: { limit: 0 } },
    noProgress: { halt: 0 },
    counts: { idempotent: { warn: 0, block: 0, halt: 0 } },
  };
  const run = async (
    resultAware: 'never' | 'poll_tools' | 'always',
    name: string,
    answers: (n: number) => unknown,
    n = 6,
  ) => {
    let count = 0;
    const counted = tool(name, () => answers(++count));
    const guardrails = { loop: { ...off, stepRepeat: { resultAware } }, recovery: { total: 0 } };
    return looped({ guardrails, tools: [counted] }, ...times(n, name, { id: 1 }));
  };

  test.each([
    { aware: 'poll_tools', name: 'job_status', changes: true, end: 'completed' },
    { aware: 'poll_tools', name: 'job_status', changes: false, end: 'error' },
    { aware: 'poll_tools', name: 'get_job', changes: true, end: 'error' },
    { aware: 'always', name: 'get_job', changes: true, end: 'completed' },
    { aware: 'always', name: 'get_job', changes: false, end: 'error' },
    { aware: 'never', name: 'job_status', changes: true, end: 'error' },
  ] as const)('A12: $aware, $name, results change: $changes: $end', async ({ aware, name, changes, end }) => {
    expect((await run(aware, name, (n) => (changes ? `at ${n}` : 'same'))).end).toMatchObject({ state: end });
  });

  test('A12: values that differ in every call are no change: times and request ids', async () => {
    const moments = (n: number) => ({
      state: 'pending',
      timestamp: n,
      request_id: `r${n}`,
      at: `2026-01-0${n}T10:00:00Z`,
    });
    expect((await run('poll_tools', 'job_status', moments)).end).toMatchObject(halted);
  });

  test('A12: a poll next to another call is not excused', async () => {
    let n = 0;
    const tools = [tool('job_status', () => `at ${++n}`), get];
    const both = (): ModelOutcome => calls(['job_status', {}], ['get', { id: 1 }]);
    const stepRepeat = { resultAware: 'poll_tools' as const };
    const guardrails = { loop: { ...off, stepRepeat }, recovery: { total: 0 } };
    const { end } = await looped({ guardrails, tools }, both(), both(), both(), both());
    expect(end).toMatchObject(halted);
  });

  test('A12, section 7 rule 2: a batch of different calls is one step', async () => {
    const four = () => calls(...[1, 2, 3, 4].map((id): [string, unknown] => ['get', { id }]));
    const { end } = await looped({ guardrails: { loop: off }, tools: [get] }, four(), four(), four());
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('A12: a halt names its guard and its evidence, in the slot and to clients', async () => {
    const { guards, verdicts } = await looped({ guardrails: 'aar', tools: [get] }, ...times(4, 'get'));
    const verdict = {
      guard: 'repetition',
      code: 'repeated_step',
      message: expect.stringContaining('4 times in a row: get'),
    };
    expect(guards).toMatchObject([{ action: 'halt', ...verdict }]);
    expect(verdicts).toMatchObject([{ kind: 'halt', ...verdict }]);
  });
});

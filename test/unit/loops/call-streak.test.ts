import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const bash = (exitCode: (command: string) => number) =>
  tool('bash', ({ command }) => ({ exitCode: exitCode(String(command)), stderr: 'no' }), { effect: 'once' });
/** A known price: without it the dollar limit would report that it cannot fire. */
const model = { name: 'test-model', price: { input: 0, output: 0 } };
const attocode = { model, guardrails: 'attocode' as const, tools: [readFile, editFile, bash(() => 0)] };
const failing = {
  ...attocode,
  tools: [readFile, editFile, bash(() => 1)],
  guardrails: 'attocode' as const,
};
const at = (i: number) => ({ path: `f${i}` });
const run = (command: string) => ({ command });
const nothing = (requests: Parameters<typeof toldIn>[0]) =>
  requests.flatMap((_, i) => toldIn(requests, i + 1));

describe('T8: the same call again and again', () => {
  test('T8: advice from the third call on, firmer at the fourth and the sixth; it stops nothing', async () => {
    const { requests, end } = await looped(attocode, ...times(8, 'read_file', at(1)));
    expect(toldIn(requests, 3)).toEqual([]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('3 times in a row')]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Look at what it returned')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('It will not return anything else')]);
    expect(toldIn(requests, 6)).toEqual([expect.stringContaining('It will not return anything else')]);
    expect(toldIn(requests, 7)).toEqual([expect.stringContaining('Stop calling it now')]);
    expect(end).toMatchObject({ state: 'completed', steps: 9 });
  });

  test('T8: one event, when it begins', async () => {
    const { codes, verdicts } = await looped(attocode, ...times(6, 'read_file', at(1)));
    expect(codes).toEqual(['nudge doom_loop']);
    expect(verdicts.filter(({ code }) => code === 'doom_loop')).toHaveLength(4);
    const twice = [
      ...times(3, 'read_file', at(1)),
      calls(['read_file', at(2)]),
      ...times(3, 'read_file', at(1)),
    ];
    expect((await looped(attocode, ...twice)).codes).toEqual(['nudge doom_loop', 'nudge doom_loop']);
  });

  test('T8: a different call ends the streak', async () => {
    const { requests } = await looped(attocode, ...[1, 1, 2, 1, 1].map((i) => calls(['read_file', at(i)])));
    expect(nothing(requests)).toEqual([]);
  });

  test('T8: similar in what matters: advice at the fourth', async () => {
    const alike = (i: number) => ({ path: 'a', limit: 10 + i });
    expect((await looped(attocode, ...times(3, 'read_file', alike))).codes).toEqual([]);
    expect((await looped(attocode, ...times(4, 'read_file', alike))).codes).toEqual(['nudge doom_loop']);
  });

  test('T8: cat, head and tail of one file are similar; in a pipe they are not', async () => {
    const look = ['cat a.ts', 'head -n 5 a.ts', 'tail -20 a.ts', 'cat  a.ts'].map((command) =>
      calls(['bash', run(command)]),
    );
    expect((await looped(attocode, ...look)).codes).toEqual(['nudge doom_loop']);
    const pipes = ['cat a.ts', 'cat a.ts | wc', 'tail -f a.ts > b', 'cat a.ts b.ts'].map((command) =>
      calls(['bash', run(command)]),
    );
    expect((await looped(attocode, ...pipes)).codes).toEqual([]);
  });

  test('T8: three in one batch are a streak, and the advice comes once', async () => {
    const batch = calls(['read_file', at(1)], ['read_file', at(1)], ['read_file', at(1)]);
    expect(toldIn((await looped(attocode, batch)).requests, 2)).toHaveLength(1);
  });

  test('T8: the last ten calls count', async () => {
    const { slice } = await looped(attocode, ...times(14, 'read_file', at(1)));
    expect(slice('call_streak').recent).toHaveLength(10);
  });

  test('T8: 0 is off', async () => {
    const guardrails = { preset: 'attocode' as const, loop: { callStreak: { exact: 0, fuzzy: 0 } } };
    expect((await looped({ ...attocode, guardrails }, ...times(6, 'read_file', at(1)))).codes).toEqual([]);
  });
});

describe('one piece of advice', () => {
  test('section 7, rule 3: one piece of advice a step, the first in order; the journal has all', async () => {
    const same = times(3, 'bash', run('npm test'));
    const { requests, slots, codes } = await looped(failing, ...same);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Call streak')]);
    expect(codes).toEqual(['nudge doom_loop']);
    expect(slots.at(-2)?.verdicts).toMatchObject([
      { guard: 'call_streak' },
      { guard: 'failed_tests', unsaid: true },
      { guard: 'failed_shells', unsaid: true },
    ]);
  });
});

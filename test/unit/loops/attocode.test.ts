import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const bash = (exitCode: (command: string) => number) =>
  tool('bash', ({ command }) => ({ exitCode: exitCode(String(command)), stderr: 'no' }), { effect: 'once' });
/** A known price: without it the dollar limit would say that it cannot fire. */
const model = { name: 'test-model', price: { input: 0, output: 0 } };
const attocode = { model, guardrails: 'attocode' as const, tools: [readFile, editFile, bash(() => 0)] };
const failing = {
  ...attocode,
  tools: [readFile, editFile, bash(() => 1)],
  guardrails: { preset: 'attocode' as const, toolErrors: { max: 0 } },
};
const at = (i: number) => ({ path: `f${i}` });
const run = (command: string) => ({ command });
const nothing = (requests: Parameters<typeof toldIn>[0]) =>
  requests.flatMap((_, i) => toldIn(requests, i + 1));

describe('T8: the same call again and again', () => {
  test('T8: advice from the third on, firmer at the fourth and the sixth; it stops nothing', async () => {
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

  test('T8: another call between ends the streak', async () => {
    const { requests } = await looped(attocode, ...[1, 1, 2, 1, 1].map((i) => calls(['read_file', at(i)])));
    expect(nothing(requests)).toEqual([]);
  });

  test('T8: alike in what matters: advice at the fourth', async () => {
    const alike = (i: number) => ({ path: 'a', limit: 10 + i });
    expect((await looped(attocode, ...times(3, 'read_file', alike))).codes).toEqual([]);
    expect((await looped(attocode, ...times(4, 'read_file', alike))).codes).toEqual(['nudge doom_loop']);
  });

  test('T8: cat, head and tail of one file are alike; of a pipe they are not', async () => {
    const look = ['cat a.ts', 'head -n 5 a.ts', 'tail -20 a.ts', 'cat  a.ts'].map((command) =>
      calls(['bash', run(command)]),
    );
    expect((await looped(attocode, ...look)).codes).toEqual(['nudge doom_loop']);
    const pipes = ['cat a.ts', 'cat a.ts | wc', 'tail -f a.ts > b', 'cat a.ts b.ts'].map((command) =>
      calls(['bash', run(command)]),
    );
    expect((await looped(attocode, ...pipes)).codes).toEqual([]);
  });

  test('T8: three of one batch are a streak, and the advice comes once', async () => {
    const batch = calls(['read_file', at(1)], ['read_file', at(1)], ['read_file', at(1)]);
    expect(toldIn((await looped(attocode, batch)).requests, 2)).toHaveLength(1);
  });

  test('T8: the last ten calls are looked at', async () => {
    const { slice } = await looped(attocode, ...times(14, 'read_file', at(1)));
    expect(slice('call_streak').recent).toHaveLength(10);
  });

  test('T8: 0 is off', async () => {
    const guardrails = { preset: 'attocode' as const, loop: { callStreak: { exact: 0, fuzzy: 0 } } };
    expect((await looped({ ...attocode, guardrails }, ...times(6, 'read_file', at(1)))).codes).toEqual([]);
  });
});

describe('T9: other advice', () => {
  test('T9: ten different files without an edit', async () => {
    expect((await looped(attocode, ...times(9, 'read_file', at))).codes).toEqual([]);
    const { requests, codes } = await looped(attocode, ...times(10, 'read_file', at));
    expect(codes).toEqual(['nudge exploration']);
    expect(toldIn(requests, 11)).toEqual([expect.stringContaining('10 files without a change')]);
  });

  test('T9: an edit begins exploration anew', async () => {
    const script = [...times(9, 'read_file', at), calls(['edit_file', at(1)]), ...times(9, 'read_file', at)];
    expect((await looped(attocode, ...script)).codes).toEqual([]);
  });

  test('T9: fifteen calls with fewer than two new files', async () => {
    const other = tool('list_files', () => 'a b');
    const definition = { ...attocode, tools: [...attocode.tools, other] };
    const script = (n: number) => times(n, 'list_files', (i: number) => ({ depth: i, path: 'src' }));
    const guardrails = { preset: 'attocode' as const, loop: { callStreak: { exact: 0, fuzzy: 0 } } };
    expect((await looped({ ...definition, guardrails }, ...script(14))).codes).toEqual([]);
    expect((await looped({ ...definition, guardrails }, ...script(15))).codes).toEqual(['nudge exploration']);
  });

  const wide = {
    ...attocode,
    guardrails: {
      preset: 'attocode' as const,
      nudges: { exploration: { uniqueFiles: 0 } },
      loop: { callStreak: { exact: 0, fuzzy: 0 } },
    },
  };

  test('T9: three files, and then a stretch of calls without a new one', async () => {
    const again = (i: number) => ({ path: `f${i % 3}`, from: i });
    expect((await looped(wide, ...times(15, 'read_file', again))).codes).toEqual([]);
    const { codes, verdicts } = await looped(wide, ...times(43, 'read_file', again));
    expect(codes).toEqual(['nudge exploration']);
    // The first three are the new ones: of the 15 calls that end with the 17th, one is.
    expect(verdicts.filter(({ code }) => code === 'exploration')).toHaveLength(43 - 16);
  });

  test('T9: two new files in each stretch are work', async () => {
    const some = (i: number) => ({ path: `f${Math.floor(i / 7)}`, from: i });
    expect((await looped(wide, ...times(60, 'read_file', some))).codes).toEqual([]);
  });

  test('T9: only calls of tools that read are counted: a shell is none', async () => {
    const script = times(40, 'bash', (i: number) => run(`cat f1 # ${i}`));
    expect((await looped(wide, ...script)).codes).toEqual([]);
  });

  test.each([
    { what: 'a deletion', call: ['delete_file', { path: 'f1' }] as [string, unknown] },
    { what: 'a move', call: ['move_file', { source: 'f1', destination: 'f2' }] as [string, unknown] },
    { what: 'a change by a shell', call: ['bash', run('sed -i s/a/b/ f1')] as [string, unknown] },
  ])('T9: $what begins exploration anew', async ({ call }) => {
    const tools = ['delete_file', 'move_file'].map((name) => tool(name, () => 'ok', { effect: 'once' }));
    const definition = { ...attocode, tools: [...attocode.tools, ...tools] };
    const script = [...times(9, 'read_file', at), calls(call), ...times(9, 'read_file', at)];
    expect((await looped(definition, ...script)).codes).toEqual([]);
  });

  test('T9: three failed test runs in a row', async () => {
    const commands = ['npm test', 'npx vitest run a', 'npm test'].map((command) =>
      calls(['bash', run(command)]),
    );
    const guardrails = { ...failing.guardrails, nudges: { shellFailures: 0 } };
    const { codes, requests } = await looped({ ...failing, guardrails }, ...commands);
    expect(codes).toEqual(['nudge failed_tests']);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Tests: they have failed 3 times')]);
  });

  test('T9: a run that passes between begins anew; a read between does not', async () => {
    let n = 0;
    const passing = { ...failing, tools: [readFile, bash(() => (++n === 3 ? 0 : 1))] };
    const guardrails = { ...failing.guardrails, nudges: { shellFailures: 0 } };
    const tests = (i: number) => run(`npm test ${i}`);
    expect((await looped({ ...passing, guardrails }, ...times(5, 'bash', tests))).codes).toEqual([]);
    const script = [
      calls(['bash', tests(1)]),
      calls(['read_file', at(1)]),
      calls(['bash', tests(2)]),
      calls(['bash', tests(4)]),
    ];
    expect((await looped({ ...failing, guardrails }, ...script)).codes).toEqual(['nudge failed_tests']);
  });

  test('T9: three failed shells in a row; other words when they work on files', async () => {
    const two = await looped(failing, ...times(2, 'bash', (i: number) => run(`make t${i}`)));
    expect(nothing(two.requests)).toEqual([]);
    const { requests, codes } = await looped(failing, ...times(3, 'bash', (i: number) => run(`make t${i}`)));
    expect(codes).toEqual(['nudge failed_shells']);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Do not try variations')]);
    const files = await looped(failing, ...times(3, 'bash', (i: number) => run(`sed -i s/a/b/ f${i}`)));
    expect(toldIn(files.requests, 4)).toEqual([expect.stringContaining('Use the file tools')]);
  });

  test('T9: a shell that throws has failed too, one that is refused has not', async () => {
    const throwing = {
      ...failing,
      tools: [tool('bash', () => Promise.reject(new Error('no')), { effect: 'once' })],
    };
    expect((await looped(throwing, ...times(3, 'bash', (i: number) => run(`x${i}`)))).codes).toEqual([
      'nudge failed_shells',
    ]);
    const limits = { maxCallsPerReply: 1 };
    const { codes } = await looped(
      { ...throwing, limits },
      calls(...[1, 2, 3].map((i): [string, unknown] => ['bash', run(`x${i}`)])),
    );
    expect(codes).toEqual([]);
  });

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

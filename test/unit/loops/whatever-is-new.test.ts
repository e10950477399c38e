import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped } from './loops.fixture.ts';

const read = tool('read_page', ({ id }) => `page ${id}`);
const limits = { maxSteps: 60, maxToolCalls: 0 };
/** `n` rounds of a call and a new read. */
const between = (n: number, name: string, input: (i: number) => unknown = () => ({ to: 'ann', amount: 5 })) =>
  Array.from({ length: n }, (_, i) => [calls([name, input(i)]), calls(['read_page', { id: i }])]).flat();

describe('loop.changes', () => {
  const once = (name: string, run: (n: number) => unknown = () => 'done') => {
    let n = 0;
    return tool(name, () => run(n++), { effect: 'once' });
  };

  test('a change between new reads is told at the third, refused at the fifth, and ends the run at the tenth', async () => {
    const { codes, end } = await looped({ tools: [read, once('notify')], limits }, ...between(20, 'notify'));
    expect(codes.filter((code) => code.startsWith('nudge'))[0]).toBe('nudge same_change');
    expect(codes.filter((code) => code === 'block same_change_refused')).toHaveLength(5);
    expect(codes.at(-1)).toBe('halt same_change');
    expect(end).toEqual({ state: 'error', reason: 'loop_halt', steps: 19 });
  });

  test('a payment is told at the second, whatever its receipt', async () => {
    const pay = once('pay', (n) => ({ receipt: `r-${n}` }));
    const { codes } = await looped({ tools: [read, pay], limits }, ...between(2, 'pay'));
    expect(codes).toEqual(['nudge same_change']);
  });

  test('other arguments, other outcomes and progress are work', async () => {
    const other = await looped(
      { tools: [read, once('pay')], limits },
      ...between(9, 'pay', (i) => ({ to: i })),
    );
    expect(other.codes).toEqual([]);
    const next = await looped(
      { tools: [read, once('next', (n) => `case ${n}`)], limits },
      ...between(9, 'next'),
    );
    expect(next.codes).toEqual([]);
    const marks = tool('notify', (_input, { markProgress }) => markProgress(), { effect: 'once' });
    expect((await looped({ tools: [read, marks], limits }, ...between(9, 'notify'))).codes).toEqual([]);
  });

  test('a read that was made before and has another result shows that the change works', async () => {
    let n = 0;
    const look = tool('look', () => `line ${n++}`);
    const script = Array.from({ length: 9 }, () => [calls(['notify', { a: 1 }]), calls(['look', {}])]).flat();
    expect((await looped({ tools: [look, once('notify')], limits }, ...script)).codes).toEqual([]);
  });

  test('it is off under the presets of other systems, and if it is turned off', async () => {
    const tools = [read, once('notify')];
    for (const guardrails of ['hamr', { loop: { changes: { advise: 0, refuse: 0, halt: 0 } } }] as const)
      expect(
        (await looped({ tools, limits, guardrails }, ...between(12, 'notify'))).codes.join(),
      ).not.toContain('change');
  });
});

describe('loop.failures', () => {
  test('failures that are alike between new reads are told at the third, and end the run at the tenth', async () => {
    const book = tool('book', ({ day }) => Promise.reject(new Error(`no such day: ${day}`)), {
      effect: 'once',
    });
    const script = between(20, 'book', (i) => ({ day: `x${i}` }));
    const { codes, end } = await looped({ tools: [read, book], limits }, ...script);
    expect(codes).toEqual(['nudge failing_alike', 'halt failing_alike']);
    expect(end).toEqual({ state: 'error', reason: 'loop_halt', steps: 19 });
  });

  test('a success of the same tool in between, or another failure, starts afresh', async () => {
    let n = 0;
    const flaky = tool('book', () => (n++ % 3 === 2 ? 'ok' : Promise.reject(new Error('no such day'))));
    expect(
      (await looped({ tools: [read, flaky], limits }, ...between(12, 'book', (i) => ({ i })))).codes,
    ).toEqual([]);
  });

  test('exit codes, `isError` and a declared pattern count for every tool', async () => {
    const results: readonly unknown[] = [
      { exitCode: 1, stderr: 'no disk' },
      { isError: true, message: 'no disk' },
      'ERR-7',
    ];
    for (const failed of results) {
      const evidence = typeof failed === 'string' ? { evidence: { fails: '^ERR-\\d+' } } : {};
      const run = tool('convert', () => failed, { effect: 'once', ...evidence });
      const script = between(12, 'convert', (i) => ({ file: `f${i}` }));
      expect((await looped({ tools: [read, run], limits }, ...script)).codes).toContain('halt failing_alike');
    }
  });
});

describe('what a tool says about repetition', () => {
  const press = (n: number) => Array.from({ length: n }, () => calls(['press_key', { key: 'Down' }]));

  test.each([
    { what: "repeats: 'free'", declared: { repeats: 'free' } as const },
    { what: 'a confirmation', declared: { acknowledges: ['ok'] } as const },
  ])('$what: forty equal calls are no loop', async ({ declared }) => {
    const tools = [tool('press_key', () => 'ok', { effect: 'once', ...declared })];
    const { codes, end } = await looped({ tools, limits }, ...press(40));
    expect(codes).toEqual([]);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('another result of a tool that confirms is a repetition', async () => {
    const tools = [tool('press_key', () => 'no such key', { effect: 'once', acknowledges: ['ok'] })];
    expect((await looped({ tools, limits }, ...press(40))).end).toMatchObject({ state: 'error' });
  });

  test('markProgress wins over every guard', async () => {
    const marks = tool('read_file', (_input, { markProgress }) => {
      markProgress();
      return 'text';
    });
    const script = Array.from({ length: 40 }, () => calls(['read_file', { path: 'a' }]));
    const { codes, end } = await looped({ tools: [marks], limits }, ...script);
    expect(codes).toEqual([]);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test("repeats: 'counts' is no poll, whatever the name", async () => {
    const tools = [tool('check_status', () => 'PENDING', { repeats: 'counts' })];
    const script = Array.from({ length: 20 }, () => calls(['check_status', {}]));
    expect((await looped({ tools, limits }, ...script)).end?.steps).toBeLessThan(10);
  });
});

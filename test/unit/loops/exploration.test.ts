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
const at = (i: number) => ({ path: `f${i}` });
const run = (command: string) => ({ command });

describe('T9: exploration', () => {
  test('T9: ten different files without an edit', async () => {
    expect((await looped(attocode, ...times(9, 'read_file', at))).codes).toEqual([]);
    const { requests, codes } = await looped(attocode, ...times(10, 'read_file', at));
    expect(codes).toEqual(['nudge exploration']);
    expect(toldIn(requests, 11)).toEqual([expect.stringContaining('10 files without a change')]);
  });

  test('T9: an edit restarts exploration', async () => {
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

  test('T9: two new files in each stretch count as work', async () => {
    const some = (i: number) => ({ path: `f${Math.floor(i / 7)}`, from: i });
    expect((await looped(wide, ...times(60, 'read_file', some))).codes).toEqual([]);
  });

  test('T9: only calls of reading tools count: a shell does not', async () => {
    const script = times(40, 'bash', (i: number) => run(`cat f1 # ${i}`));
    expect((await looped(wide, ...script)).codes).toEqual([]);
  });

  test.each([
    { what: 'a deletion', call: ['delete_file', { path: 'f1' }] as [string, unknown] },
    { what: 'a move', call: ['move_file', { source: 'f1', destination: 'f2' }] as [string, unknown] },
    { what: 'a change by a shell', call: ['bash', run('sed -i s/a/b/ f1')] as [string, unknown] },
  ])('T9: $what restarts exploration', async ({ call }) => {
    const tools = ['delete_file', 'move_file'].map((name) => tool(name, () => 'ok', { effect: 'once' }));
    const definition = { ...attocode, tools: [...attocode.tools, ...tools] };
    const script = [...times(9, 'read_file', at), calls(call), ...times(9, 'read_file', at)];
    expect((await looped(definition, ...script)).codes).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { type Guardrails, looped, times } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const current = { guardrails: 'praisonai-current' as const, tools: [readFile, editFile] };
/** As described: the counts stop, whatever the results. */
const described = { ...current, guardrails: 'praisonai' as const };
const noCounts = { idempotent: { warn: 0, block: 0, halt: 0 }, mutating: { warn: 0, block: 0, halt: 0 } };
const halt = { state: 'error', reason: 'loop_halt' };
const at = (i: number) => ({ path: `f${i}` });

describe('L4: effects', () => {
  const answering = (value: unknown) => ({ ...described, tools: [tool('read_file', () => value)] });
  const last = async (value: unknown) =>
    (await looped(answering(value), ...times(5, 'read_file', at))).answers.at(-1) ?? '';

  test('L4: a text gets a suffix', async () => {
    expect(await last('text')).toMatch(/^text\n\[loop-guard\] read_file was called 5 times/);
  });

  test('L4: a text that looks like JSON is text', async () => {
    expect(await last('{"a":1}')).toMatch(/^\{"a":1\}\n\[loop-guard\]/);
  });

  test('L4: an object gets a field', async () => {
    expect(JSON.parse(await last({ a: 1 }))).toEqual({
      a: 1,
      _loop_guard: { message: expect.stringContaining('5 times'), action: 'warn' },
    });
  });

  test.each([{ value: [1, 2] }, { value: 0 }, { value: false }, { value: null }])(
    'L4: $value is wrapped',
    async ({ value }) => {
      expect(JSON.parse(await last(value))).toEqual({
        value,
        _loop_guard: expect.objectContaining({ action: 'warn' }),
      });
    },
  );

  test('L4: a failed call gets a suffix', async () => {
    const failing = { ...described, tools: [tool('read_file', () => Promise.reject(new Error('no file')))] };
    const { answers } = await looped(failing, ...times(5, 'read_file', at));
    expect(answers.at(-1)).toMatch(/no file\n\[loop-guard\]/);
  });

  test('L4: a refused call says so, as JSON', async () => {
    const { results } = await looped(described, ...times(8, 'read_file', at));
    expect(JSON.parse(results.at(-1)?.content ?? '')).toEqual({
      error: expect.stringMatching(/^\[loop-guard\] read_file was called 8 times/),
      loop_blocked: true,
    });
  });

  test('L4: at a halt the calls of the batch have results, and none runs', async () => {
    const script = [
      ...times(11, 'read_file', at),
      calls(['edit_file', {}], ['read_file', {}], ['edit_file', {}]),
    ];
    const { end, results } = await looped(described, ...script);
    expect(end).toMatchObject(halt);
    expect(results.slice(-3).map(({ outcome }) => outcome)).toEqual(['cancelled', 'refused', 'cancelled']);
    expect(results.at(-2)?.content).toContain('"loop_blocked":true');
  });

  test('L4: the text is stored with the result, so every later request has the same', async () => {
    const { requests } = await looped(described, ...times(6, 'read_file', at));
    const [before, after] = [requests.at(-2)?.messages ?? [], requests.at(-1)?.messages ?? []];
    expect(JSON.stringify(after)).toContain(JSON.stringify(before).slice(1, -1));
  });
});

describe('L5: two phases', () => {
  test('L5: a refused call still counts', async () => {
    const { slice } = await looped(described, ...times(10, 'read_file', at));
    expect(slice('counts').toolCounts).toEqual({ read_file: 10 });
    expect(slice('counts')).toMatchObject({ successes: 7, failures: 0 });
  });

  test('L5: a refused call does not feed the streak of results', async () => {
    const { slice } = await looped(described, ...times(10, 'read_file', { path: 'a' }));
    expect(slice('no_progress').streak).toMatchObject({ length: 7 });
  });

  test('L5: the check after a call only annotates; the check before the next call stops it', async () => {
    const guardrails: Guardrails = {
      preset: 'praisonai',
      loop: { counts: noCounts, noProgress: { warn: 2, halt: 3 } },
    };
    const { results, end } = await looped(
      { ...current, guardrails },
      ...times(4, 'read_file', { path: 'a' }),
    );
    expect(results.map(({ note, outcome }) => note?.action ?? outcome)).toEqual([
      'ok',
      'warn',
      'warn',
      'refused',
    ]);
    expect(end).toMatchObject({ ...halt, steps: 4 });
  });
});

import { describe, expect, test } from 'vitest';
import { tool } from '../step/reading.fixture.ts';
import { type Guardrails, looped, times } from './loops.fixture.ts';

const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const noCounts = { idempotent: { warn: 0, block: 0, halt: 0 }, mutating: { warn: 0, block: 0, halt: 0 } };
const halt = { state: 'error', reason: 'loop_halt' };
const at = (i: number) => ({ path: `f${i}` });
const kinds = (verdicts: readonly { kind: string; code: string; guard: string }[], guard: string) =>
  verdicts.filter((one) => one.guard === guard).map(({ code }) => code);

describe('L6: no progress', () => {
  const only = (more: object = {}): Guardrails => ({
    preset: 'praisonai-current',
    loop: { counts: noCounts, window: { detectors: [] }, ...more },
  });
  const run = (answer: (n: number) => unknown, ...script: ReturnType<typeof times>) => {
    let n = 0;
    return looped({ guardrails: only(), tools: [tool('read_file', () => answer(++n)), editFile] }, ...script);
  };

  test('L6: 8 identical results, and the same call once more ends the run', async () => {
    expect((await run(() => 'x', ...times(8, 'read_file'))).end).toMatchObject({ state: 'completed' });
    const { end, verdicts } = await run(() => 'x', ...times(9, 'read_file'));
    expect(end).toEqual({ ...halt, steps: 9 });
    expect(verdicts.at(-1)).toMatchObject({ code: 'no_progress_halt' });
  });

  test('L6: the 4th identical result carries a warning', async () => {
    const { results } = await run(() => 'x', ...times(5, 'read_file'));
    expect(results.map(({ note }) => note !== undefined)).toEqual([false, false, false, true, true]);
  });

  test('L6: people are notified once per call', async () => {
    const { verdicts, guards } = await run(() => 'x', ...times(7, 'read_file'));
    expect(kinds(verdicts, 'no_progress')).toEqual(Array(4).fill('no_progress_warn'));
    expect(guards.map(({ message }) => message?.match(/\d+ times/)?.[0])).toEqual([
      '4 times',
      '4 times',
      '5 times',
      '6 times',
    ]);
  });

  test('L6: the pending call must continue the streak', async () => {
    expect(
      (await run(() => 'x', ...times(8, 'read_file'), ...times(1, 'edit_file'), ...times(1, 'read_file')))
        .end,
    ).toMatchObject({ state: 'completed' });
    expect((await run(() => 'x', ...times(9, 'edit_file', at))).end).toMatchObject({ state: 'completed' });
  });

  test('L6: a different result starts a new streak, a changed clock does not', async () => {
    expect((await run((n) => `line ${n}`, ...times(12, 'read_file'))).end).toMatchObject({
      state: 'completed',
    });
    expect((await run((n) => ({ timestamp: n, elapsed_ms: n }), ...times(9, 'read_file'))).end).toMatchObject(
      halt,
    );
  });

  test.each([{ value: '' }, { value: 0 }, { value: null }, { value: false }, { value: undefined }])(
    'L6: $value is a result too',
    async ({ value }) => {
      expect((await run(() => value, ...times(9, 'read_file'))).end).toMatchObject(halt);
    },
  );

  test('L11: five the same, progress marked, five the same: no halt', async () => {
    let n = 0;
    const marking = tool('read_file', (_input, { markProgress }) => {
      if (++n === 5) markProgress('half');
      return 'x';
    });
    const { end, slice } = await looped({ guardrails: only(), tools: [marking] }, ...times(10, 'read_file'));
    expect(end).toMatchObject({ state: 'completed' });
    expect(slice('no_progress').streak).toMatchObject({ length: 5 });
    expect(slice('counts').toolCounts).toEqual({ read_file: 10 });
  });

  test('L11: unmarked, the same ten calls end the run', async () => {
    expect((await run(() => 'x', ...times(10, 'read_file'))).end).toMatchObject(halt);
  });
});

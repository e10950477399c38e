import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { type Guardrails, looped, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const noCounts = { idempotent: { warn: 0, block: 0, halt: 0 }, mutating: { warn: 0, block: 0, halt: 0 } };
const at = (i: number) => ({ path: `f${i}` });

describe('L13, L14, L15: the window', () => {
  const window = (more: object = {}): Guardrails => ({
    preset: 'praisonai-current',
    loop: { counts: noCounts, noProgress: { warn: 0, halt: 0 }, window: more },
  });
  const with_ = (guardrails: Guardrails, ...tools: ReturnType<typeof tool>[]) => ({
    guardrails,
    tools: [readFile, editFile, ...tools],
  });
  /** The same read, and a different one after each. */
  const spread = (n: number) =>
    Array.from({ length: n }, (_, i) => [
      calls(['read_file', { path: 'same' }]),
      calls(['edit_file', at(i)]),
      calls(['edit_file', at(100 + i)]),
    ]).flat();

  test('L13: the 10th same call anywhere in the window warns, the 9th does not', async () => {
    expect((await looped(with_(window()), ...times(9, 'read_file'))).codes).toEqual([]);
    const { codes, requests } = await looped(with_(window()), ...times(10, 'read_file'));
    expect(codes).toEqual(['warn generic_repeat_warning', 'nudge loop_pattern']);
    expect(toldIn(requests, 11)).toEqual([expect.stringContaining('read_file was called 10 times')]);
    expect((await looped(with_(window()), ...spread(10))).codes).toContain('warn generic_repeat_warning');
  });

  test('L13: calls that have left the window do not count', async () => {
    expect((await looped(with_(window({ size: 20 })), ...spread(10))).codes).toEqual([]);
  });

  test('L15: from the 20th on it is refused, and the run continues', async () => {
    const { results, end, codes } = await looped(with_(window()), ...times(21, 'read_file'));
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(19).fill('ok'), 'refused', 'refused']);
    expect(results.at(-1)?.content).toContain('"loop_blocked":true');
    expect(end).toMatchObject({ state: 'completed' });
    expect(codes.at(-1)).toBe('block generic_repeat_critical');
  });

  test('L15: a second warning brings no second nudge', async () => {
    const { codes, requests } = await looped(
      with_(window()),
      ...times(12, 'read_file'),
      ...times(11, 'edit_file'),
    );
    expect(codes.filter((code) => code.startsWith('nudge'))).toHaveLength(1);
    expect(codes.filter((code) => code.startsWith('warn')).length).toBeGreaterThan(3);
    expect(requests.flatMap((_, i) => toldIn(requests, i + 1))).toHaveLength(1);
  });

  test('L13: critical is raised above warn', async () => {
    const { results } = await looped(with_(window({ warn: 5, critical: 2 })), ...times(6, 'read_file'));
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('ok'), 'refused']);
  });

  test('L13: polls with changing results are allowed, those with identical ones are not', async () => {
    let n = 0;
    const changing = tool('job_status', () => `at ${++n}`);
    expect((await looped(with_(window(), changing), ...times(25, 'job_status'))).codes).toEqual([]);
    const stuck = tool('job_status', () => 'pending');
    expect((await looped(with_(window(), stuck), ...times(10, 'job_status'))).codes).toEqual([]);
    expect((await looped(with_(window(), stuck), ...times(11, 'job_status'))).codes).toEqual([
      'warn poll_no_progress_warning',
      'nudge loop_pattern',
    ]);
    expect((await looped(with_(window(), stuck), ...times(21, 'job_status'))).results.at(-1)).toMatchObject({
      outcome: 'refused',
    });
  });

  test("L13: a poll's streak is counted over its own records", async () => {
    const stuck = tool('job_status', () => 'pending');
    const script = Array.from({ length: 11 }, (_, i) => [
      calls(['job_status', {}]),
      calls(['read_file', at(i)]),
    ]).flat();
    expect((await looped(with_(window(), stuck), ...script)).codes).toContain(
      'warn poll_no_progress_warning',
    );
  });

  const pingPong = (n: number) =>
    Array.from({ length: n }, (_, i) => calls([i % 2 ? 'edit_file' : 'read_file', {}]));

  test.each([5, 6, 7])('L14: the tail A, B, A, B counts the pending call, odd or even: %i', async (warn) => {
    const guardrails = window({ warn, critical: 100, detectors: ['ping_pong'] });
    expect((await looped(with_(guardrails), ...pingPong(warn - 1))).codes).toEqual([]);
    const { guards } = await looped(with_(guardrails), ...pingPong(warn));
    expect(guards[0]).toMatchObject({
      code: 'ping_pong_warning',
      message: expect.stringContaining(`${warn} times in turn`),
    });
  });

  test('L14: a third call breaks it', async () => {
    const guardrails = window({ warn: 6, critical: 100, detectors: ['ping_pong'] });
    const script = [...pingPong(5), calls(['read_file', at(1)]), ...pingPong(5)];
    expect((await looped(with_(guardrails), ...script)).codes).toEqual([]);
  });

  test('L14: for polls a changed result breaks it', async () => {
    let n = 0;
    const guardrails = window({ warn: 6, critical: 100, detectors: ['ping_pong'] });
    const poll = (answer: () => unknown) => with_(guardrails, tool('job_status', answer));
    const script = Array.from({ length: 8 }, (_, i) => calls([i % 2 ? 'job_status' : 'read_file', {}]));
    expect(
      (
        await looped(
          poll(() => 'same'),
          ...script,
        )
      ).codes,
    ).toContain('warn ping_pong_warning');
    expect(
      (
        await looped(
          poll(() => `at ${++n}`),
          ...script,
        )
      ).codes,
    ).toEqual([]);
  });

  test('L13: the described preset has it off', async () => {
    const guardrails: Guardrails = {
      preset: 'praisonai',
      loop: { counts: noCounts, noProgress: { warn: 0, halt: 0 } },
    };
    expect((await looped(with_(guardrails), ...times(25, 'read_file'))).codes).toEqual([]);
  });
});

describe('U1e: the window by default', () => {
  const quiet = {
    ...{ counts: noCounts, noProgress: { warn: 0, halt: 0 }, stepRepeat: { limit: 0 } },
    ...{
      cycles: { advise: 0, refuse: 0, halt: 0 },
      callStreak: { exact: 0, fuzzy: 0, read: { limit: 0, warnAt: 0 } },
    },
  };
  const codesOf = async (window: object) => {
    const guardrails = { loop: { ...quiet, window } };
    const { codes } = await looped({ guardrails, tools: [readFile] }, ...times(20, 'read_file'));
    return codes.filter((code) => /repeat/.test(code));
  };

  test('U1e: with its detectors on, it warns from the 10th call on, and refuses the 20th', async () => {
    const detectors = ['generic_repeat', 'poll_no_progress', 'ping_pong'];
    expect(await codesOf({ detectors })).toEqual([
      ...Array(10).fill('warn generic_repeat_warning'),
      'block generic_repeat_critical',
    ]);
  });

  test('U1e: it is off, since cycles of any length are found by loop.cycles', async () => {
    expect(await codesOf({})).toEqual([]);
  });
});

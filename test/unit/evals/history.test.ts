import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { historyTable, showHistory } from '../../../cli/eval/history.ts';
import { historyFileOf, keepRun, readHistory } from '../../../cli/eval/history-file.ts';
import { type EvalOptions, parseOptions } from '../../../cli/eval/options.ts';
import { plain } from '../../../local/paint.ts';
import { type KeptRun, keptRun, runsIn, withRun } from '../../../testing/evals/history.ts';
import type { CaseResult, Play } from '../../../testing/evals/result.ts';

const play: Play = {
  ...{
    passed: true,
    score: 1,
    scores: [],
    calls: [],
    steps: 2,
    tokens: 500,
    costUsd: 0.01,
    scoringUsd: 0.002,
  },
};
const result = (name: string, passed: boolean, plays = 1): CaseResult => ({
  ...{ id: `e / ${name}`, eval: 'e', case: name, passed, passRate: 1, score: passed ? 1 : 0.33333333 },
  ...{ plays: Array.from({ length: plays }, () => play), ms: 1_500.4 },
});
const at = (minute: number) => `2026-11-28T15:${String(minute).padStart(2, '0')}:00.000Z`;
const run = (minute: number, ...cases: CaseResult[]): KeptRun => keptRun({ cases }, at(minute), 3_000.2);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steploop-eval-history-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a run is one line, with what each case cost, judges included', () => {
  const kept = run(1, result('right', true, 2), result('wrong', false));
  expect(kept).toEqual({
    ...{ at: at(1), ms: 3_000, costUsd: 0.036 },
    cases: { 'e / right': [1, 1, 0.024, 1_500], 'e / wrong': [0, 0.3333, 0.012, 1_500] },
  });
  const text = withRun('', kept);
  expect(text.match(/\n/g)).toHaveLength(1);
  expect(runsIn(text)).toEqual([kept]);
});

describe('a file', () => {
  test('keeps the last 100 runs', () => {
    let text = '';
    for (let i = 0; i < 130; i++) text = withRun(text, { ...run(1), ms: i });
    expect(runsIn(text).map(({ ms }) => ms)).toEqual(Array.from({ length: 100 }, (_, i) => i + 30));
  });

  test('has a megabyte at most, and the latest run in any case', () => {
    const many = run(1, ...Array.from({ length: 2_000 }, (_, i) => result(`case number ${i}`, true)));
    let text = '';
    for (let i = 0; i < 30; i++) text = withRun(text, { ...many, ms: i });
    expect(text.length).toBeLessThanOrEqual(1_000_000);
    expect(runsIn(text).at(-1)?.ms).toBe(29);
    const huge = run(1, ...Array.from({ length: 30_000 }, (_, i) => result(`case number ${i}`, true)));
    expect(runsIn(withRun(text, huge))).toEqual([huge]);
  });

  test('is read in the order of time, without lines that are no run', () => {
    const lines = [run(9), run(3)].map((one) => JSON.stringify(one));
    const text = ['<<<<<<< ours', lines[0], '=======', lines[1], '{"at":7}', ''].join('\n');
    expect(runsIn(text).map((one) => one.at)).toEqual([at(3), at(9)]);
  });

  test('is beside the baseline, and is made with its folder', async () => {
    const path = join(folder, 'evals', historyFileOf('baseline.scripted.json'));
    expect(path).toMatch(/baseline\.scripted\.history\.jsonl$/);
    expect(await readHistory(path)).toEqual([]);
    await keepRun(path, run(1));
    await keepRun(path, run(2));
    expect(await readHistory(path)).toEqual([run(1), run(2)]);
    await expect(readHistory(folder)).rejects.toThrow('cannot be read');
  });
});

test('the table has a line for each of the last ten runs, and for each case in them', () => {
  const runs = Array.from({ length: 12 }, (_, i) =>
    run(i, result('always', true), ...(i > 9 ? [result('new\u001b[2J', i > 10)] : [])),
  );
  const lines = historyTable(runs, undefined, plain, 140);
  expect(lines[0]).toMatch(/^run \(UTC\) +passed +cost +time$/);
  expect(lines[1]).toMatch(/^2026-11-28 15:02 +1\/1 +\$0\.0120 +3\.0 s$/);
  expect(lines[9]).toMatch(/^2026-11-28 15:10 +1\/2 /);
  expect(lines.slice(12, 15)).toEqual([
    expect.stringMatching(/^passes +score +cost +mean +time +mean +case$/),
    expect.stringMatching(/^\+{10} +1\.00 +\$0\.0120 +\$0\.0120 +1\.5 s +1\.5 s +e \/ always$/),
    expect.stringMatching(/^\.{8}-\+ +1\.00 .* e \/ new/),
  ]);
  expect(lines.at(-1)).toBe('12 runs are kept; 10 are shown, the latest last.');
  expect(lines.join('')).not.toContain('\u001b');
  expect(historyTable(runs, 'NEW', plain, 140)).toHaveLength(lines.length - 1);
});

describe('--history', () => {
  const optionsOf = (...args: string[]): EvalOptions => {
    const parsed = parseOptions(['--history', ...args]);
    if (parsed?.kind !== 'history') throw new Error('it is another command');
    return parsed.options;
  };
  const shown = async (...args: string[]) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    expect(await showHistory(folder, optionsOf(...args))).toBe(0);
    const lines = log.mock.calls.map(([line]) => String(line));
    log.mockRestore();
    return lines;
  };

  test('says what would be kept where, if nothing is', async () => {
    expect((await shown())[0]).toMatch(
      /^No run is kept yet: .* evals\/baseline\.scripted\.history\.jsonl\.$/,
    );
  });

  test('shows runs with real models, or scripted ones if there are no others or they are asked for', async () => {
    await keepRun(join(folder, 'evals/baseline.scripted.history.jsonl'), run(1, result('scripted', true)));
    expect((await shown()).join()).toContain('e / scripted');
    await keepRun(join(folder, 'evals/baseline.history.jsonl'), run(2, result('real', true)));
    expect((await shown()).join()).toContain('e / real');
    expect((await shown('--scripted')).join()).toContain('e / scripted');
    expect((await shown('--json')).map((line) => JSON.parse(line))).toEqual([run(2, result('real', true))]);
    await writeFile(
      join(folder, 'mine.history.jsonl'),
      await readFile(join(folder, 'evals/baseline.history.jsonl')),
    );
    expect((await shown('--baseline', 'mine.json')).join()).toContain('e / real');
  });

  test.each([['--accept'], ['--junit', 'x.xml'], ['evals/a.eval.ts']])(
    'plays nothing: %s is refused',
    (...args) => {
      expect(() => parseOptions(['--history', ...args])).toThrow('--history plays nothing');
    },
  );
});

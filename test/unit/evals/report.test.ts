import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it, test } from 'vitest';
import { junitOf } from '../../../cli/eval/junit.ts';
import { progress } from '../../../cli/eval/progress.ts';
import { type Report, summaryOf, tableOf } from '../../../cli/eval/report.ts';
import { plain } from '../../../local/paint.ts';
import type { CaseResult, Play } from '../../../testing/evals/result.ts';

const play = (more: Partial<Play> = {}): Play => ({
  ...{ passed: true, score: 1, scores: [], calls: [], steps: 2, tokens: 500, costUsd: 0.01, scoringUsd: 0 },
  ...more,
});
const nasty = 'a <b> & "c" \u0007\u001b[2J\ud800 ]]> d\ne';
const wrong = play({
  passed: false,
  score: 0.5,
  scores: [{ by: 'contains', score: 0, passed: false, why: nasty }],
});
const result = (name: string, plays: Play[]): CaseResult => {
  const passed = plays.every((one) => one.passed);
  const passRate = plays.filter((one) => one.passed).length / plays.length;
  return { id: `e / ${name}`, eval: 'e', case: name, passed, passRate, score: passRate, plays, ms: 1_500 };
};
const cases = [
  result('right', [play()]),
  result('worse', [play(), wrong]),
  result('as bad as before', [wrong]),
];
const report: Report = {
  run: {
    cases,
    unplayed: [{ id: 'e / left / out', eval: 'e', case: 'left / out' }],
    stopped: 'max_usd',
    costUsd: 0.04,
    scoringUsd: 0.5,
  },
  scripted: false,
  baseline: {
    version: 1,
    cases: {
      'e / worse': { passed: true, score: 1 },
      'e / as bad as before': { passed: false, score: 0 },
    },
  },
  baselineFile: 'evals/baseline.json',
  regressions: [{ id: 'e / worse', why: 'It passed before.' }],
  ms: 3_000,
};

describe('the table', () => {
  it('has a line for each case, with its baseline and the reason why it does not pass', () => {
    const lines = tableOf(report, plain, 140);
    expect(lines[0]).toMatch(/^case +result +score +was +steps +tokens +cost +why$/);
    expect(lines[1]).toMatch(/^e \/ right +passed +1\.00 +2 +500 +\$0\.0100$/);
    expect(lines[2]).toMatch(
      /^e \/ worse +worse 1\/2 +0\.50 +1\.00 +4 .* It passed before\. contains: a <b>/,
    );
    expect(lines[3]).toMatch(/^e \/ as bad as before +failed +0\.00 +0\.00 /);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('has a summary', () => {
    expect(summaryOf(report)).toEqual([
      '1 of 3 cases passed, with a score of 0.50, in 3.0 s. $0.0400 for models, $0.5000 for judges.',
      'It stopped at --max-usd: 1 case of 4 was not played to the end.',
      '1 case is worse than in evals/baseline.json.',
    ]);
    const first = summaryOf({ ...report, baseline: undefined, scripted: true });
    expect(first[0]).toContain('nothing was spent');
    expect(first.at(-1)).toContain('with --accept this becomes one');
  });
});

test('the JUnit XML is valid, whatever text is in it, and fails regressions', () => {
  const xml = junitOf(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
  const { testsuites } = parser.parse(xml);
  expect(testsuites).toMatchObject({ tests: '4', failures: '1', errors: '0', skipped: '2', time: '3.000' });
  const { testsuite } = testsuites;
  expect(testsuite).toMatchObject({ name: 'e', tests: '4', failures: '1', time: '4.500' });
  const [right, worse, before, left] = testsuite.testcase;
  expect(right).toEqual({ name: 'right', classname: 'e', time: '1.500' });
  expect(worse.failure.message).toBe('It passed before.');
  expect(worse.failure['#text']).toContain('a <b> & "c" [2J\ufffd ]]> d\ne');
  expect(before.skipped.message).toContain('fails as it does in the baseline');
  expect(left).toMatchObject({ name: 'left / out', skipped: { message: 'It was not played to the end.' } });
});

describe('progress', () => {
  const said = (redraws: boolean) => {
    let text = '';
    const bar = progress(3, redraws, (more) => {
      text += more;
    });
    for (const one of cases) bar.told(one, 0.5);
    bar.end();
    return text;
  };

  it('is one line that is redrawn in a terminal', () => {
    expect(said(true).split('\r\u001b[K')).toEqual([
      '',
      '1 of 3 played, 0 failed, $0.5000',
      '2 of 3 played, 1 failed, $0.5000',
      '3 of 3 played, 2 failed, $0.5000',
      '',
    ]);
  });

  it('is a line for each case elsewhere', () => {
    expect(said(false)).toBe('passed  e / right\nfailed  e / worse\nfailed  e / as bad as before\n');
  });
});

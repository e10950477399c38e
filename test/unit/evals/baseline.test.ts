import { expect, test } from 'vitest';
import { accepted, type Baseline, regressions, unjudged } from '../../../testing/evals/baseline.ts';
import type { CaseResult } from '../../../testing/evals/result.ts';

const result = (id: string, passed: boolean, score: number): CaseResult => ({
  ...{ id, eval: 'e', case: id, passed, passRate: passed ? 1 : 0, score, plays: [], ms: 0 },
});
const baseline: Baseline = {
  version: 1,
  cases: { good: { passed: true, score: 1 }, bad: { passed: false, score: 0.5 } },
};
const worse = (cases: CaseResult[], of: Baseline | undefined = baseline) =>
  regressions({ cases }, of, 0.1).map(({ id, why }) => `${id}: ${why}`);

test('a case that passed and fails, or fell by more than the tolerance, is a regression', () => {
  expect(worse([result('good', false, 1)])).toEqual(['good: It passed before.']);
  expect(worse([result('good', true, 0.85)])).toEqual(['good: Its score was 1.00, and is 0.85.']);
  expect(worse([result('good', true, 0.9), result('bad', false, 0.45)])).toEqual([]);
});

test('a new case that fails is a regression, and a case with a name that the baseline lacks is new', () => {
  expect(worse([result('new', true, 0.1), result('constructor', false, 0)])).toEqual([
    'constructor: It is new, and fails.',
  ]);
  expect(regressions({ cases: [result('good', false, 1)] }, undefined, 0.1)).toEqual([
    { id: 'good', why: 'It fails.' },
  ]);
});

test('a run whose model server failed, or that has a play with an error, is no baseline', () => {
  const play = {
    passed: false,
    score: 0,
    scores: [],
    calls: [],
    steps: 0,
    tokens: 0,
    costUsd: 0,
    scoringUsd: 0,
  };
  const failed = (more: object) => ({
    cases: [{ ...result('bad', false, 0), plays: [{ ...play, ...more }] }],
  });
  expect(unjudged(failed({ state: 'completed', reason: 'completed' }))).toBeUndefined();
  expect(
    unjudged(failed({ state: 'error', reason: 'model_error', message: 'It said nothing.' })),
  ).toBeUndefined();
  expect(
    unjudged(failed({ state: 'error', reason: 'provider_error', message: 'invalid x-api-key' })),
  ).toEqual({
    id: 'bad',
    why: 'invalid x-api-key',
  });
  expect(unjudged(failed({ error: 'the script is over' }))).toEqual({ id: 'bad', why: 'the script is over' });
});

test('a baseline is written in a stable order, and keeps cases that were skipped only if that was on purpose', () => {
  const now = { cases: [result('z', true, 1 / 3), result('a', true, 1)] };
  expect(Object.entries(accepted(now, baseline, true).cases)).toEqual([
    ['a', { passed: true, score: 1 }],
    ['bad', { passed: false, score: 0.5 }],
    ['good', { passed: true, score: 1 }],
    ['z', { passed: true, score: 0.3333 }],
  ]);
  expect(Object.keys(accepted(now, baseline, false).cases)).toEqual(['a', 'z']);
});

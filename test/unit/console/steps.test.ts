import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/contract/events.ts';
import type { SessionRow, StepInfo } from '../../../web/client/index.ts';
import { latenciesOf } from '../../../web/console/src/now/latencies.ts';
import { perMinute } from '../../../web/console/src/now/rates.ts';
import { plain } from '../../../web/console/src/parts/plain.ts';
import { duration } from '../../../web/console/src/parts/words.ts';
import { eventsOf } from '../../../web/console/src/steps/events.ts';
import { costsSoFar, restBefore } from '../../../web/console/src/steps/growth.ts';
import { phasesOf, totalMs } from '../../../web/console/src/steps/phases.ts';

const step = (over: Partial<StepInfo>): StepInfo => ({
  ...{ runId: 'r', step: 1, slots: [0], kind: 'model', times: {}, verdicts: [], calls: [], text: '' },
  ...over,
});
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const row = (movedAt: string, over: Partial<SessionRow>): SessionRow => ({
  ...{ sessionId: 's', agent: 'a', state: 'completed', title: 't', source: 'http', steps: 1, movedAt },
  ...{ createdAt: movedAt, totals: { ...usage, costUsd: 0 } },
  ...over,
});

test('cost grows from step to step up to the cost of the session, with charges that produced no reply', () => {
  const steps = [
    step({ costUsd: 0.5 }),
    step({ costUsd: 0.25, lost: { ...usage, costUsd: 0.25 } }),
    step({}),
    step({ costUsd: 1 }),
  ];
  expect(costsSoFar(steps, 2)).toEqual([2, 1.5, 1, 1]);
  // The steps may be newer than the session's total, so that the rest is negative: it is not shown.
  expect(costsSoFar(steps, 0.25)).toEqual([0.25, 0, 0, 0]);
});

test('time between two runs is from the end of one to the claim of the next; within one run nothing is shown', () => {
  const times = { claimMs: 10, prepareMs: 20, modelMs: 970, toolsMs: 50 };
  const first = step({ runId: 'a', startedAt: '2026-01-01T00:00:00.000Z', times });
  const next = step({ runId: 'b', startedAt: '2026-01-01T00:01:01.000Z' });
  expect(restBefore(next, first)).toBe(60_000);
  expect(restBefore(next, { ...first, toolsAt: '2026-01-01T00:00:10.950Z' })).toBe(50_000);
  expect(restBefore({ ...next, runId: 'a' }, first)).toBeUndefined();
  expect(restBefore(next, step({ runId: 'a' }))).toBeUndefined();
  expect(restBefore(next, undefined)).toBeUndefined();
});

test('time to first token is part of the model’s time; a dead attempt is not ordinary queue time; waits are not work', () => {
  const times = { queueMs: 5, modelMs: 100, firstTokenMs: 30, waitMs: 9_000, toolsMs: 7 };
  const shown = (of: StepInfo) => phasesOf(of).map(({ name, ms }) => [name, ms]);
  expect(shown(step({ times }))).toEqual([
    ['queue', 5],
    ['first', 30],
    ['model', 70],
    ['wait', 9_000],
    ['tools', 7],
  ]);
  expect(shown(step({ times, attempt: 2 }))[0]).toEqual(['died', 5]);
  expect(totalMs(step({ times }))).toBe(112);
});

test('runs are counted in the minute in which they ended, only those of the last hour, and none that is going', () => {
  const now = Date.parse('2026-01-01T02:00:30.000Z');
  const minutes = perMinute(
    [
      row('2026-01-01T02:00:10.000Z', { steps: 3, ranMs: 5 }),
      row('2026-01-01T02:00:29.000Z', { steps: 2, ranMs: 5 }),
      row('2026-01-01T02:00:20.000Z', { state: 'running', steps: 9 }),
      row('2026-01-01T01:01:00.000Z', { steps: 4, ranMs: 0 }),
      row('2026-01-01T01:00:59.000Z', { steps: 5, ranMs: 5 }),
    ],
    now,
  );
  expect(minutes).toHaveLength(60);
  expect(minutes[0]).toEqual({ at: Date.parse('2026-01-01T01:01:00.000Z'), runs: 1, steps: 4 });
  expect(minutes.at(-1)).toEqual({ at: Date.parse('2026-01-01T02:00:00.000Z'), runs: 2, steps: 5 });
  expect(minutes.reduce((sum, { runs }) => sum + runs, 0)).toBe(3);
});

test('p50 and p95 cover the recorded values; missing ones are not counted', () => {
  const steps = Array.from({ length: 100 }, (_, i) =>
    step({ step: i + 1, times: { queueMs: i + 1, claimMs: 10, firstTokenMs: 100, modelMs: 150 } }),
  );
  const found = latenciesOf(
    [row('2026-01-01T00:00:00.000Z', { ranMs: 70 }), row('2026-01-01T00:00:00.000Z', {})],
    [...steps, step({ kind: 'fold', step: 1, times: { modelMs: 9_999 } })],
  );
  const of = (name: RegExp) => found.find((one) => name.test(one.name));
  expect(of(/Run: total/)).toMatchObject({ count: 1, p50: 70, p95: 70 });
  expect(of(/Run: time to first token/)).toMatchObject({ count: 1, p50: 111 });
  expect(of(/Step: queued/)).toMatchObject({ count: 100, p50: 50, p95: 95 });
  expect(of(/Step: time to first token/)).toMatchObject({ count: 100, p50: 160, p95: 205 });
  expect(of(/Step: tools/)).toBeUndefined();
});

test('the events of a step end where it ends', () => {
  const frame = (type: string, seq: number) => ({ seq, prev: seq - 1, event: { type } }) as unknown as Frame;
  const frames = ['STEP_STARTED', 'TEXT_MESSAGE_START', 'STEP_FINISHED', 'STEP_STARTED'].map(frame);
  expect(eventsOf(frames).map(({ type }) => type)).toEqual([
    'STEP_STARTED',
    'TEXT_MESSAGE_START',
    'STEP_FINISHED',
  ]);
  expect(eventsOf(frames.slice(0, 2))).toHaveLength(2);
});

test('characters that reverse text direction are made visible', () => {
  expect(plain('pay \u202Eeno\u202C, שלום')).toBe('pay [U+202E]eno[U+202C], שלום');
});

test.each([
  [999, '999 ms'],
  [1_500, '1.5 s'],
  [119_600, '2 min 0 s'],
  [3_599_600, '1 h 0 min'],
  [7_190_000, '2 h 0 min'],
])('%i ms is shown as %s', (ms, words) => expect(duration(ms)).toBe(words));

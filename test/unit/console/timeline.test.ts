import { expect, test } from 'vitest';
import type { CallInfo, StepInfo } from '../../../web/client/index.ts';
import { scaleOf, type TimelineRow, timelineOf } from '../../../web/console/src/steps/timeline.ts';

const step = (over: Partial<StepInfo>): StepInfo => ({
  ...{ runId: 'r', step: 1, slots: [0], kind: 'model', times: {}, verdicts: [], calls: [], text: '' },
  ...over,
});
const call = (over: Partial<CallInfo>): CallInfo => ({ id: 'c', name: 'look', outcome: 'ok', ...over });
const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const isoAt = (ms: number) => new Date(T0 + ms).toISOString();

/** The lines with their bars, from the first claim on. */
const drawn = (rows: readonly TimelineRow[]) =>
  rows.map(({ words, bars }) => [words, ...bars.map(({ name, from, ms }) => `${name} ${from - T0}+${ms}`)]);

test('steps come oldest first, with their waits and calls at the times at which they happened', () => {
  const times = {
    queueMs: 5,
    claimMs: 10,
    prepareMs: 20,
    modelMs: 100,
    firstTokenMs: 30,
    waitMs: 60_000,
    toolsMs: 40,
  };
  const asked = step({
    ...{ startedAt: isoAt(0), toolsAt: isoAt(60_200), times },
    calls: [call({ durationMs: 40 }), call({ id: 'd', outcome: 'refused', durationMs: 0 })],
  });
  const last = step({ step: 2, slots: [2], startedAt: isoAt(60_300), times: { modelMs: 50 } });
  expect(drawn(timelineOf([last, asked]))).toEqual([
    ['Step 1', 'queue -5+5', 'claim 0+10', 'prepare 10+20', 'first 30+30', 'model 60+70', 'tools 60200+40'],
    ['Waiting', 'wait 130+60000'],
    ['look', 'tools 60200+40'],
    ['look (refused)', 'tools 60200+0'],
    ['Step 2', 'model 60300+50'],
  ]);
});

test('steps without a time are left out, short waits have no line, and children are named', () => {
  const child = call({ name: 'clerk', child: 's-2', durationMs: 7 });
  const rows = timelineOf([
    step({ startedAt: isoAt(0), times: { modelMs: 10, waitMs: 999, toolsMs: 7 }, calls: [child] }),
    step({ imported: true }),
  ]);
  expect(rows.map(({ kind, call }) => [kind, call?.child])).toEqual([
    ['step', undefined],
    ['call', 's-2'],
  ]);
});

test('a call of another agent is drawn over the time that its step waited', () => {
  const child = call({ name: 'clerk', child: 's-2', durationMs: 0 });
  const times = { modelMs: 10, waitMs: 60_000, toolsMs: 0 };
  const rows = timelineOf([step({ startedAt: isoAt(0), toolsAt: isoAt(60_010), times, calls: [child] })]);
  expect(drawn(rows).at(-1)).toEqual(['clerk', 'wait 10+60000']);
  expect(rows.at(-1)?.ms).toBe(60_000);
});

test('waits and idle times are shortened, and work keeps its proportions', () => {
  const at = (ms: number, modelMs: number) => step({ startedAt: isoAt(ms), times: { modelMs } });
  const day = 24 * 3_600_000;
  const scale = scaleOf(timelineOf([at(day, 3_000), at(0, 1_000)]));
  const [begin, end, next, last] = [0, 1_000, day, day + 3_000].map((ms) => scale(T0 + ms)) as [
    number,
    number,
    number,
    number,
  ];
  expect([begin, last]).toEqual([0, 1]);
  expect((last - next) / (end - begin)).toBeCloseTo(3);
  expect(next - end).toBeCloseTo(0.04 / 1.04);
});

test('a timeline of nothing has a scale', () => {
  expect(scaleOf([])(T0)).toBe(0);
});

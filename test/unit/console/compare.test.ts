import { expect, test } from 'vitest';
import type { StepDetails, StepInfo } from '../../../web/client/index.ts';
import { answerOf, lastReply } from '../../../web/console/src/compare/answer.ts';
import { firstDifference, MOST_READ, partsOf } from '../../../web/console/src/compare/difference.ts';
import {
  comparedOf,
  figuresOf,
  pairsOf,
  runsOf,
  sharedBelow,
} from '../../../web/console/src/compare/pairs.ts';

const step = (over: Partial<StepInfo> = {}): StepInfo => ({
  ...{ runId: 'r', step: 1, slots: [0], kind: 'model', times: {}, verdicts: [], calls: [], text: '' },
  ...over,
});
const details = (over: Partial<StepDetails> = {}): StepDetails => ({
  ...{ info: step(), input: [], content: [], results: [] },
  ...over,
});
const call = (id: string, n: number) => ({ type: 'tool_use', id, name: 'look', input: { n } });

test('the address names two sessions, and anything else in it is ignored', () => {
  expect(comparedOf({ a: 's1', b: '', runA: 7, runB: 'r2', c: 'x' })).toEqual({
    ...{ a: 's1', b: undefined, runA: undefined, runB: 'r2' },
  });
});

test('figures add up replies, calls, tokens, lost attempts and times', () => {
  const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 20 };
  const calls = (['ok', 'error', 'open'] as const).map((outcome, i) => ({
    id: `${i}`,
    name: 'look',
    outcome,
  }));
  const lost = { ...usage, costUsd: 0.5 };
  const sums = figuresOf([
    step({ usage, costUsd: 1, lost, calls, times: { modelMs: 30, waitMs: 1_000 } }),
    step({ kind: 'fold', usage, costUsd: 2, times: { modelMs: 7 } }),
  ]);
  expect(sums).toEqual({
    ...{ steps: 1, calls: 3, failedCalls: 1, input: 60, cached: 200, output: 10 },
    ...{ costUsd: 3.5, workMs: 37, waitMs: 1_000 },
  });
});

test('steps are paired by their order, and runs are listed once', () => {
  const left = [step({ slots: [0] }), step({ slots: [2] }), step({ slots: [4], runId: 'r2' })];
  const right = [step({ slots: [0] }), step({ slots: [2] })];
  expect(
    pairsOf(left, right, 2).map(({ left: a, right: b, isShared }) => [a?.slots, b?.slots, isShared]),
  ).toEqual([
    [[0], [0], true],
    [[2], [2], false],
    [[4], undefined, false],
  ]);
  expect(runsOf(left)).toEqual(['r', 'r2']);
});

test.each([
  ['one session', { sessionId: 's1' }, { sessionId: 's1' }, Number.POSITIVE_INFINITY],
  [
    'an origin and its fork',
    { sessionId: 's1' },
    { sessionId: 's2', forkOf: { sessionId: 's1', below: 4 } },
    4,
  ],
  [
    'a fork and its origin',
    { sessionId: 's2', forkOf: { sessionId: 's1', below: 4 } },
    { sessionId: 's1' },
    4,
  ],
  [
    'two forks of one session',
    { sessionId: 's2', forkOf: { sessionId: 's1', below: 4 } },
    { sessionId: 's3', forkOf: { sessionId: 's1', below: 2 } },
    2,
  ],
  [
    'forks of different sessions',
    { sessionId: 's2', forkOf: { sessionId: 's1', below: 4 } },
    { sessionId: 's3', forkOf: { sessionId: 's9', below: 2 } },
    0,
  ],
  ['strangers', { sessionId: 's1' }, { sessionId: 's2' }, 0],
])('slots that %s share', (_, a, b, below) => {
  expect(sharedBelow(a, b)).toBe(below);
});

test('ids are no difference, and arguments are', async () => {
  const pairs = pairsOf([step()], [step()], 0);
  const one = details({ content: [call('toolu_1', 1)] });
  const same = details({ content: [call('toolu_2', 1)] });
  const other = details({ content: [call('toolu_3', 2)] });
  expect(await firstDifference(pairs, async (side) => (side === 'left' ? one : same))).toEqual({
    kind: 'equal',
  });
  expect(await firstDifference(pairs, async (side) => (side === 'left' ? one : other))).toEqual({
    kind: 'different',
    difference: { index: 0, what: 'Call of look', left: '{\n  "n": 1\n}', right: '{\n  "n": 2\n}' },
  });
});

test('a message that one side lacks is the difference, and nothing else', async () => {
  const info = step({ model: 'm-1' });
  const found = await firstDifference(pairsOf([step()], [step()], 0), async (side) =>
    details({
      info,
      ...(side === 'right' && { input: [{ text: 'Hi', eventId: 'e' }] }),
    } as Partial<StepDetails>),
  );
  expect(found).toEqual({
    kind: 'different',
    difference: { index: 0, what: 'New in the request', left: undefined, right: 'Hi' },
  });
});

test('shared steps are not read, and a side that ends earlier differs there', async () => {
  const left = [step({ slots: [0] }), step({ slots: [2], text: 'It is 42.' })];
  const read: number[] = [];
  const found = await firstDifference(pairsOf(left, [step({ slots: [0] })], 2), async (_, slot) => {
    read.push(slot);
    return details();
  });
  expect(read).toEqual([]);
  expect(found).toEqual({
    kind: 'different',
    difference: { index: 1, what: 'Step', left: 'It is 42.', right: undefined },
  });
});

test('a comparison of many equal steps says where it stopped', async () => {
  const steps = Array.from({ length: MOST_READ + 5 }, (_, i) => step({ slots: [i] }));
  let read = 0;
  const found = await firstDifference(pairsOf(steps, steps, 0), async () => {
    read += 1;
    return details();
  });
  expect(found).toEqual({ kind: 'unknown', compared: MOST_READ });
  expect(read).toBe(2 * MOST_READ);
});

test('a step has its request, model, reply, calls, and results as parts', () => {
  const whole = details({
    info: step({ model: 'm-1' }),
    input: [
      { text: 'Hi', eventId: 'e1' },
      { text: 'Hurry', internal: 'wrap_up' },
    ],
    content: [
      { type: 'text', text: 'On it.' },
      call('a', 1),
      { type: 'thinking', thinking: 'hm', signature: 'x' },
    ],
    summary: 'Short.',
    results: [
      { callId: 'a', name: 'look', outcome: 'ok', content: '42', durationMs: 1 },
      { callId: 'b', name: 'look', outcome: 'error', content: 'no', durationMs: 1 },
    ],
  } as Partial<StepDetails>);
  expect(
    partsOf(whole)
      .flat()
      .map(({ what, text }) => `${what}: ${text.replaceAll(/\s+/g, '')}`),
  ).toEqual([
    'New in the request: Hi',
    'Added by the system: wrap_up: Hurry',
    'Model: m-1',
    'Reply: Onit.',
    'Call of look: {"n":1}',
    'Reply: thinking: {"type":"thinking","thinking":"hm"}',
    'Summary: Short.',
    'Result of look: 42',
    'Result of look: error:no',
  ]);
});

test('the answer is the text of the last reply, or its calls', () => {
  const last = step({ slots: [4], stop: 'end_turn' });
  expect(lastReply([step({ stop: 'tool_use' }), last, step({ kind: 'model' })])).toBe(last);
  expect(
    answerOf(details({ content: [{ type: 'text', text: 'A' }, call('a', 1), { type: 'text', text: 'B' }] })),
  ).toBe('A\n\nB');
  expect(answerOf(details({ content: [call('a', 1)] }))).toBe('look\n{\n  "n": 1\n}');
});

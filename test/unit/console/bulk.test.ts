import { expect, test } from 'vitest';
import { states } from '../../../shared/contract/session.ts';
import type { SessionRow } from '../../../web/client/index.ts';
import { ProblemError } from '../../../web/client/problem.ts';
import { appliesTo, type BulkProgress, runBulk } from '../../../web/console/src/sessions/bulk.ts';

const rows = (n: number): SessionRow[] =>
  Array.from({ length: n }, (_, i) => ({
    ...{ sessionId: `s${i}`, agent: 'worker', state: 'error', title: 't', source: 'http', steps: 1 },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', movedAt: '2026-01-01T00:00:00.000Z' },
    totals: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
  }));

/** Runs an action, and returns its last progress, its pauses, and the sessions it tried. */
async function run(n: number, act: (sessionId: string, tries: number) => void, signal?: AbortSignal) {
  const tried: string[] = [];
  const pauses: number[] = [];
  let last: BulkProgress = { done: 0, failures: [] };
  await runBulk(rows(n), {
    act: async (sessionId) => {
      tried.push(sessionId);
      act(sessionId, tried.filter((one) => one === sessionId).length);
    },
    onProgress: (progress) => {
      last = progress;
    },
    signal: signal ?? new AbortController().signal,
    pause: async (ms) => void pauses.push(ms),
  });
  return { last, pauses, tried };
}

const refusal = (status: number) =>
  new ProblemError({ type: 'about:blank', title: 'Refused', status } as ConstructorParameters<
    typeof ProblemError
  >[0]);

test.each([
  ['retry', 'error timed_out max_steps budget_exceeded cancelled'],
  ['stop', 'running waiting_for_tool waiting_for_input'],
  ['delete', 'idle completed error cancelled timed_out max_steps budget_exceeded'],
] as const)('%s applies to the states %s', (action, fitting) => {
  expect(states.filter((state) => appliesTo(action, state)).sort()).toEqual(fitting.split(' ').sort());
});

test('each session is handled once', async () => {
  const { last, tried } = await run(50, () => {});
  expect(last).toEqual({ done: 50, failures: [] });
  expect(new Set(tried).size).toBe(50);
  expect(tried).toHaveLength(50);
});

test('a refusal is reported with its session, without another attempt, and the others go on', async () => {
  const { last, pauses, tried } = await run(9, (sessionId) => {
    if (sessionId === 's3') throw refusal(409);
  });
  expect(last.done).toBe(8);
  expect(last.failures.map(({ row, error }) => [row.sessionId, String(error)])).toEqual([
    ['s3', 'ProblemError: Refused'],
  ]);
  expect([pauses.length, tried.length]).toEqual([0, 9]);
});

test.each([
  ['too many requests', refusal(429)],
  ['an error of the server', refusal(503)],
  ['no network', new TypeError('Failed to fetch')],
])('%s is tried again after a pause', async (_, error) => {
  const { last, pauses } = await run(1, (_id, tries) => {
    if (tries < 3) throw error;
  });
  expect(last).toEqual({ done: 1, failures: [] });
  expect(pauses).toEqual([1_000, 3_000]);
});

test('attempts end', async () => {
  const { last, tried } = await run(1, () => {
    throw refusal(503);
  });
  expect([last.done, last.failures.length, tried.length]).toEqual([0, 1, 4]);
});

test('after it is stopped, no further session is begun', async () => {
  const abort = new AbortController();
  const { last, tried } = await run(
    50,
    (sessionId) => {
      if (sessionId === 's5') abort.abort();
    },
    abort.signal,
  );
  expect(tried.length).toBeLessThan(12);
  expect(last.done).toBe(tried.length);
});

import { describe, expect, test } from 'vitest';
import { failureKey, resultKey } from '../../../shared/agent/guardrails/loops/fingerprint.ts';
import { volatileShapes } from '../../../shared/agent/guardrails/loops/volatile.ts';

const result = (content: string, outcome: 'ok' | 'error' = 'ok') => ({
  ...{ callId: 'c', name: 'get', outcome, content, durationMs: 1 },
});
const key = (content: string) => resultKey(result(content), 'excused');

/** Two texts for each shape that are the same without it. */
const equal: Readonly<Record<keyof typeof volatileShapes, readonly [string, string]>> = {
  moment: ['idle at 2026-03-01T10:00:00Z', 'idle at 2026-03-02T11:30:09.5+01:00'],
  date: ['idle, Sun, 01 Mar 2026 10:00:00 GMT', 'idle, Mon, 02 Mar 2026 11:00:00 GMT'],
  clock: ['idle at 10:00:00', 'idle at 23:59:59,120'],
  epoch: ['idle as of 1770000000937', 'idle as of 1770000001874'],
  age: ['nightly ok 1 minute ago', 'nightly ok 3 weeks ago'],
  duration: ['3 hits in 2 milliseconds', '3 hits in 1.5 s'],
  uuid: ['(12345678-1a2b-4c3d-8e9f-123456789012)', '(abcdef12-1a2b-4c3d-8e9f-12345678901f)'],
  hex: ['etag "9e3779b1"', 'etag "0f1e2d3c4b"'],
  request: ['denied (req_8fK2hh19)', 'denied (req_Zk20ppq1)'],
  process: ['started, pid 4003', 'started, pid 4711'],
  temporary: ['written to /tmp/tmp.x81k/out', 'written to /tmp/tmp.lq01/out'],
  counter: ['worker idle, heartbeat #7', 'worker idle, heartbeat #8'],
};

describe('which parts of a result say nothing', () => {
  test.each(Object.entries(equal))('%s', (_shape, [one, other]) => {
    expect(key(one)).toBe(key(other));
    expect(key(JSON.stringify({ text: one }))).toBe(key(JSON.stringify({ text: other })));
  });

  test('each shape has its example', () => {
    for (const [shape, [one]] of Object.entries(equal))
      expect(one.replace(volatileShapes[shape] ?? /$^/, '')).not.toBe(one);
  });

  test.each([
    ['12 % done', '13 % done'],
    ['3 of 9 ready', '4 of 9 ready'],
    ['ETA 12 minutes', 'ETA 9 minutes'],
    ['5 minutes left', '2 minutes left'],
    ['{"rows":[[1000]]}', '{"rows":[[900]]}'],
    ['{"loss":0.5,"epoch":1}', '{"loss":0.25,"epoch":2}'],
    ['commit 3fa9c21', 'commit 4fa9c21'],
    ['total 1699', 'total 1700'],
    ['0 errors', '1 errors'],
  ])('%s and %s differ', (one, other) => {
    expect(key(one)).not.toBe(key(other));
  });

  test('lines that are equal without their times count once', () => {
    expect(key('10:00:01 beat\n10:00:02 beat')).toBe(key('10:00:01 beat\n10:00:02 beat\n10:00:03 beat'));
    expect(key('10:00:01 beat')).not.toBe(key('10:00:01 beat\n10:00:02 stop'));
  });

  test('a preset that counts as its source does keeps its own comparison', () => {
    const [one, other] = equal.epoch ?? ['', ''];
    expect(resultKey(result(one))).not.toBe(resultKey(result(other)));
  });
});

describe('which reports of commands fail alike', () => {
  const report = (stdout: string, command = 'make') =>
    failureKey(
      { id: 'c', name: 'bash', input: { command } },
      result(JSON.stringify({ exitCode: 1, stdout })),
    );

  test.each([
    ["src/main.c:100: undefined reference to 'init'", "src/main.c:131: undefined reference to 'init'"],
    ['random seed: 81\n1 failed, 3 passed in 0.1s', 'random seed: 99\n1 failed, 3 passed in 0.3s'],
  ])('%s', (one, other) => expect(report(one)).toBe(report(other)));

  test.each([
    ['4 failed, 8 passed', '3 failed, 9 passed'],
    ['src/1.ts(3,1): error TS2345', 'src/2.ts(3,1): error TS2345'],
    ["error: 'a_init' undeclared", "error: 'b_init' undeclared"],
  ])('%s and %s do not', (one, other) => expect(report(one)).not.toBe(report(other)));
});

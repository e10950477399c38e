import { describe, expect, test } from 'vitest';
import { callKey, failureKey, resultKey } from '../../../shared/agent/guardrails/loops/fingerprint.ts';
import { plainPath } from '../../../shared/agent/session/facts.ts';
import type { ToolResult } from '../../../shared/agent/session/slots.ts';
import { onlyLooks } from '../../../shared/agent/words/shell/proof.ts';

const call = (input: unknown) => ({ id: 'c', name: 'look', input });
const result = (content: string, outcome: ToolResult['outcome'] = 'ok'): ToolResult => ({
  ...{ callId: 'c', name: 'look', durationMs: 0 },
  outcome,
  content,
});

describe('which calls are the same', () => {
  test.each([
    [{ path: 'src/a.ts' }, { path: './src/a.ts' }],
    [{ path: 'src/a.ts' }, { path: ' src//a.ts  ' }],
    [{ path: 'src' }, { path: 'src/' }],
    [{ path: 'src/a.ts' }, { path: 'src/lib/../a.ts' }],
    [{ file_path: 'a' }, { file_path: './a' }],
    [{ paths: ['a', 'b'] }, { paths: ['./a', 'b '] }],
    [{ query: 'lamp' }, { query: 'lamp  ' }],
    [{ options: { cwd: '.' } }, { options: { cwd: './' } }],
    [{ command: 'make all' }, { command: ' make   all ' }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ])('%j and %j are the same', (one, other) => {
    expect(callKey(call(one))).toBe(callKey(call(other)));
  });

  test.each([
    [{ path: 'src/a.ts' }, { path: '/src/a.ts' }],
    [{ path: 'a' }, { path: '../a' }],
    [{ path: 'a b' }, { path: 'ab' }],
    [{ text: 'x' }, { text: ' x' }],
    [{ text: 'if:\n  x' }, { text: 'if:\n  x ' }],
    [{ id: 1 }, { id: '1' }],
  ])('%j and %j differ', (one, other) => {
    expect(callKey(call(one))).not.toBe(callKey(call(other)));
  });

  describe('if new results are excused', () => {
    test.each([
      [{ query: 'tax rate' }, { query: ' tax  rate\n' }],
      [{ queries: ['a b'] }, { queries: [' a  b'] }],
      [
        { id: 1, request_id: 'a' },
        { id: 1, request_id: 'b' },
      ],
      [
        { id: 1, nonce: 1 },
        { id: 1, nonce: 2 },
      ],
      [
        { id: 1, ts: 1_763_800_001_123 },
        { id: 1, ts: '2026-03-01T10:00:07Z' },
      ],
    ])('%j and %j are the same, too', (one, other) => {
      expect(callKey(call(one), 'excused')).toBe(callKey(call(other), 'excused'));
      expect(callKey(call(one))).not.toBe(callKey(call(other)));
    });

    test.each([
      [{ text: 'x' }, { text: ' x' }],
      [{ new_string: 'x' }, { new_string: '  x' }],
      [{ query: 'a\n  b' }, { query: 'a\n b' }],
      [{ request_id: 'a' }, { request_id: 'b' }],
      [
        { id: 1, timestamp: '2026-03-01T10:00:00Z' },
        { id: 1, timestamp: '2026-03-01T11:00:00Z' },
      ],
    ])('%j and %j differ', (one, other) => {
      expect(callKey(call(one), 'excused')).not.toBe(callKey(call(other), 'excused'));
    });
  });

  test.each([
    ['./a/./b//c/', 'a/b/c'],
    ['/', '/'],
    ['.', '.'],
    ['', '.'],
    ['../../a', '../../a'],
    ['a/..', '.'],
    ['/a/../b', '/b'],
  ])('%s is %s', (path, plain) => {
    expect(plainPath(path)).toBe(plain);
  });
});

describe('which results are equal', () => {
  test.each([
    ['3 failed (1.23 s)', '3 failed (0.98 s)'],
    ['Start at 10:02:11\n1 failed', 'Start at 10:03:40\n1 failed'],
    ['took 12ms', 'took 340ms'],
    ['{"a":1,"timestamp":5}', '{"timestamp":6,"a":1}'],
    ['{"stdout":"ok in 3 ms"}', '{"stdout":"ok in 4 ms"}'],
  ])('%s and %s are equal', (one, other) => {
    expect(resultKey(result(one))).toBe(resultKey(result(other)));
  });

  test.each([
    ['3 failed', '2 failed'],
    ['{"percent":10}', '{"percent":20}'],
    ['', '0'],
  ])('%s and %s differ', (one, other) => {
    expect(resultKey(result(one))).not.toBe(resultKey(result(other)));
  });

  test('a success and a failure with the same text differ', () => {
    expect(resultKey(result('x'))).not.toBe(resultKey(result('x', 'error')));
  });
});

describe('which calls fail in the same way', () => {
  const key = (input: unknown, content: string) => failureKey(call(input), result(content, 'error'));

  test('the arguments, numbers and quotes of the error do not matter', () => {
    expect(key({ url: 'https://x.example/a' }, 'https://x.example/a: 404 Not Found')).toBe(
      key({ url: 'https://x.example/b' }, 'https://x.example/b: 404 Not Found'),
    );
    expect(key({ n: 1 }, "line 3: no such name 'alpha'")).toBe(key({ n: 2 }, "line 7: no such name 'beta'"));
  });

  test('a different error differs, also inside JSON', () => {
    expect(key({ n: 1 }, 'timed out')).not.toBe(key({ n: 1 }, 'not found'));
    expect(key({}, '{"exitCode":1,"stdout":"KeyError"}')).not.toBe(
      key({}, '{"exitCode":1,"stdout":"TypeError"}'),
    );
  });
});

describe('which commands only read', () => {
  test.each([
    'ls -la',
    'cat a.ts | grep x',
    'git status && git diff',
    'npm test',
    'cd src; rg x',
    'grep x a 2>&1',
  ])('%s only reads', (command) => expect(onlyLooks(command)).toBe(true));
  test.each([
    'sed -i s/a/b/ a.ts',
    'echo x > a.ts',
    'git checkout b',
    'ls && rm a',
    'find . -delete',
    'cat a | tee b',
  ])('%s does not', (command) => expect(onlyLooks(command)).toBe(false));
});

import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../../cli/demo/options.ts';
import { summary } from '../../../cli/demo/summary.ts';
import { count, dollars, oneLine, tokens } from '../../../local/amounts.ts';

describe('the options of npm start', () => {
  test('have defaults', () => {
    expect(parseOptions([])).toEqual({
      kind: 'start',
      options: { once: false, slack: false, slackSocket: false, port: 0, data: resolve('.data') },
    });
  });

  test('are all accepted', () => {
    expect(
      parseOptions(['--once', '--definition', 'mine.ts', '--port', '3000', '--data', '/tmp/state']),
    ).toEqual({
      kind: 'start',
      options: {
        once: true,
        slack: false,
        slackSocket: false,
        definition: resolve('mine.ts'),
        port: 3000,
        data: '/tmp/state',
      },
    });
  });

  test('start an emulated Slack on request, and not for one run', () => {
    expect(parseOptions(['--slack'])).toMatchObject({ kind: 'start', options: { slack: true } });
    expect(parseOptions(['--slack', '--once'])).toMatchObject({
      kind: 'wrong',
      message: expect.stringContaining('--slack'),
    });
  });

  test('listen to a real Slack on request, which excludes the emulated one and a single run', () => {
    expect(parseOptions(['--slack-socket'])).toMatchObject({ kind: 'start', options: { slackSocket: true } });
    for (const other of ['--slack', '--once'])
      expect(parseOptions(['--slack-socket', other])).toMatchObject({
        kind: 'wrong',
        message: expect.stringContaining('--slack-socket'),
      });
  });

  test('keep no state with --ephemeral', () => {
    expect(parseOptions(['--ephemeral'])).toEqual({
      kind: 'start',
      options: { once: false, slack: false, slackSocket: false, port: 0 },
    });
  });

  test('show the help', () => {
    expect(parseOptions(['--once', '--help'])).toEqual({ kind: 'help' });
  });

  test.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--port', '65535'], '--port must be a number from 0 to 65533, not 65535'],
    [['--port', '65534'], '--port'],
    [['--port', '-1'], '--port'],
    [['--port', '3e3'], '--port must be a number'],
    [['--data'], '--data'],
    [['--ephemeral', '--data', 'x'], '--ephemeral keeps no state'],
    [['run'], "Unexpected argument 'run'"],
  ])('refuse %j', (args, message) => {
    const parsed = parseOptions(args);
    expect(parsed).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
  });
});

describe('amounts', () => {
  test('are formatted', () => {
    expect([0.00123456, 0.01234, 0.5, 12.345].map(dollars)).toEqual([
      '$0.00123',
      '$0.0123',
      '$0.5000',
      '$12.35',
    ]);
    expect([count(1, 'step'), count(2, 'step'), count(12_345, 'token')]).toEqual([
      '1 step',
      '2 steps',
      '12,345 tokens',
    ]);
    expect(tokens({ input: 1200, output: 30, cacheRead: 0, cacheWrite: 0 })).toBe('1,200 tokens in, 30 out');
    expect(tokens({ input: 10, output: 30, cacheRead: 1000, cacheWrite: 500 })).toBe(
      '10 (+1,500 cached) tokens in, 30 out',
    );
    expect(oneLine(' a\n b\tc ', 10)).toBe('a b c');
    expect(oneLine('abcdefgh', 5)).toBe('abcd…');
  });
});

test('the summary is one line of JSON', () => {
  const totals = { input: 100, output: 20, cacheRead: 5, cacheWrite: 0, costUsd: 0.0123456789 };
  const line = summary(
    { success: true, state: 'completed', reason: 'completed', steps: 5, toolCalls: 6, totals },
    ['bug'],
  );
  expect(line).toBe(
    '{"state":"completed","reason":"completed","steps":5,"toolCalls":6,"tokens":120,"costUsd":0.012346,"labels":["bug"]}',
  );
});

test('the summary of a run without an issue has no labels', () => {
  const totals = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
  const of = { success: true, state: 'completed', reason: 'completed', steps: 1, toolCalls: 0 } as const;
  expect(JSON.parse(summary({ ...of, totals }, undefined))).not.toHaveProperty('labels');
});

test('A9: the summary says when its numbers are estimates', () => {
  const totals = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0, estimated: true } as const;
  const of = { success: true, state: 'completed', reason: 'completed', steps: 1, toolCalls: 0 } as const;
  expect(JSON.parse(summary({ ...of, totals }, []))).toMatchObject({ estimated: true });
});

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { help, parseOptions } from '../../../cli/dev/options.ts';

const started = (...args: string[]) => {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'start') throw new Error(JSON.stringify(parsed));
  return parsed.options;
};

test('state is kept in .data by default', () => {
  expect(started()).toEqual({ set: [], secret: [], slackSocket: false, port: 0, data: resolve('.data') });
  expect(started('--ephemeral')).toEqual({ set: [], secret: [], slackSocket: false, port: 0 });
  expect(started('--data', '/tmp/x')).toMatchObject({ data: '/tmp/x' });
});

test('all options are accepted', () => {
  expect(
    started(
      '--set',
      'A=1',
      '--set',
      'B=2',
      '--secret',
      'C=3',
      '--definition',
      'x.ts',
      '--stack',
      'S',
      '--port',
      '3000',
    ),
  ).toMatchObject({
    set: ['A=1', 'B=2'],
    secret: ['C=3'],
    definition: resolve('x.ts'),
    stack: 'S',
    port: 3000,
  });
});

test('a single message leaves no state behind', () => {
  expect(started('--once')).toEqual({ set: [], secret: [], slackSocket: false, port: 0, once: 'Hello' });
  expect(started('--once', 'Where', 'is it?')).toMatchObject({ once: 'Where is it?' });
  expect(started('--once', '--data', '/tmp/x')).toMatchObject({ data: '/tmp/x' });
});

test.each([
  [['hello'], 'hello is not an option; send a message with --once'],
  [['--ephemeral', '--data', 'x'], '--ephemeral keeps no state, so it cannot be combined with --data'],
  [['--port', '65534'], '--port must be a number from 0 to 65533, not 65534'],
  [['--prot', '3'], "Unknown option '--prot'"],
])('%j is refused with a sentence', (args, message) => {
  expect(parseOptions(args)).toEqual({ kind: 'wrong', message });
});

test('every option is in the help', () => {
  expect(parseOptions(['--help'])).toEqual({ kind: 'help' });
  for (const option of ['set', 'secret', 'definition', 'stack', 'port', 'data', 'ephemeral', 'once', 'help'])
    expect(help).toContain(`--${option}`);
});

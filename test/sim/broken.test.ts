import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('a protocol with one clause less is caught', { timeout: 120_000 }, async () => {
  const only = '^ack when this message holds the lease$';
  const { stdout } = await run(process.execPath, [
    'test/sim/mutants/main.ts',
    '--seeds',
    '300',
    '--jobs',
    '1',
    '--only',
    only,
  ]);
  expect(stdout.trim().split('\n').at(-1)).toBe('mutants=1 killed=1');
});

import { calls, rehearse, says } from 'steploop/testing';
import { expect, it } from 'vitest';
import { agent } from '../../../agents/samples/coder/agent.ts';

const repository = {
  'package.json': '{ "name": "money", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/money.ts': `export interface Money {
  readonly cents: number;
}

/** Splits an amount into shares that differ by at most a cent and add up to it. */
export function split({ cents }: Money, shares: number): Money[] {
  const each = Math.floor(cents / shares);
  return Array.from({ length: shares }, () => ({ cents: each }));
}
`,
  'test/money.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { split } from '../src/money.ts';

test('shares add up to the amount', () => {
  const shares = split({ cents: 100 }, 3);
  assert.equal(shares.reduce((sum, share) => sum + share.cents, 0), 100);
});
`,
};

const old = '  return Array.from({ length: shares }, () => ({ cents: each }));';
const mended = `  const left = cents - each * shares;
  return Array.from({ length: shares }, (_, i) => ({ cents: each + (i < left ? 1 : 0) }));`;

const answer = {
  cause: 'split() dropped the cents that do not divide in src/money.ts.',
  change: 'They are now shared out. All tests pass (1 of 1).',
  patch: 'changes.patch',
};

it('the coding agent finds and fixes a failing test, and returns a patch', async () => {
  const run = await rehearse(agent, {
    user: 'The tests of this repository fail. Mend it, and give me a patch.',
    workspace: repository,
    model: [
      calls(['bash', { command: 'npm test' }]),
      calls(['read_file', { path: 'test/money.test.ts' }], ['read_file', { path: 'src/money.ts' }]),
      calls(['bash', { command: 'mkdir -p .before/src && cp src/money.ts .before/src/money.ts' }]),
      calls(['edit_file', { path: 'src/money.ts', old_string: old, new_string: mended }]),
      calls(['bash', { command: 'npm test' }]),
      calls([
        'bash',
        {
          command:
            'diff -u .before/src/money.ts src/money.ts >> changes.patch; rm -r .before; cat changes.patch',
        },
      ]),
      says(JSON.stringify(answer)),
    ],
  });
  const [first, , , , edit, second, patch] = run.calls;
  expect(run.calls.map(({ outcome }) => outcome)).toEqual(Array(7).fill('ok'));
  expect(JSON.parse(first?.content ?? '')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('fail 1'),
  });
  expect(edit?.content).toContain('+  const left = cents - each * shares;');
  expect(JSON.parse(second?.content ?? '')).toMatchObject({ exitCode: 0 });
  expect(patch?.content).toContain('-  return Array.from');
  // The verification has run the tests once more.
  expect(run.made.map(({ content }) => JSON.parse(content))).toMatchObject([{ exitCode: 0 }]);
  expect(run).toMatchObject({ state: 'completed', object: answer, left: 0 });
  expect(Object.keys(run.files)).toEqual([
    'changes.patch',
    'package.json',
    'src/money.ts',
    'test/money.test.ts',
  ]);
  expect(run.files['changes.patch']).toContain('+  const left = cents - each * shares;');
  expect(run.files['src/money.ts']).toContain(mended);
}, 60_000);

it('the coding agent is told that its tests fail, whatever it says, and the run ends so if it fixes nothing', async () => {
  const run = await rehearse(agent, {
    user: 'The tests of this repository fail. Mend it, and give me a patch.',
    workspace: repository,
    model: [
      calls(['read_file', { path: 'src/money.ts' }]),
      calls(['edit_file', { path: 'src/money.ts', old_string: 'Math.floor', new_string: 'Math.trunc' }]),
      says(
        JSON.stringify({
          ...answer,
          change: 'It rounds the right way now. All tests pass, I have run them.',
        }),
      ),
      says(JSON.stringify({ ...answer, change: 'They do pass.' })),
    ],
  });
  expect(run).toMatchObject({ state: 'error', reason: 'verification_failed', left: 0 });
  expect(run.made.map(({ content }) => JSON.parse(content))).toMatchObject([{ exitCode: 1 }]);
  expect(JSON.stringify(run.requests.at(-1)?.messages)).toContain('the verification of this work has failed');
}, 60_000);

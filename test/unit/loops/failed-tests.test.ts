import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped, times, toldIn } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const bash = (exitCode: (command: string) => number) =>
  tool('bash', ({ command }) => ({ exitCode: exitCode(String(command)), stderr: 'no' }), { effect: 'once' });
/** A known price: without it the dollar limit would report that it cannot fire. */
const model = { name: 'test-model', price: { input: 0, output: 0 } };
const attocode = { model, guardrails: 'attocode' as const, tools: [readFile, editFile, bash(() => 0)] };
const failing = {
  ...attocode,
  tools: [readFile, editFile, bash(() => 1)],
  guardrails: { preset: 'attocode' as const },
};
const at = (i: number) => ({ path: `f${i}` });
const run = (command: string) => ({ command });

describe('T9: failed tests', () => {
  test('T9: three failed test runs in a row', async () => {
    const commands = ['npm test', 'npx vitest run a', 'npm test'].map((command) =>
      calls(['bash', run(command)]),
    );
    const guardrails = { ...failing.guardrails, nudges: { shellFailures: 0 } };
    const { codes, requests } = await looped({ ...failing, guardrails }, ...commands);
    expect(codes).toEqual(['nudge failed_tests']);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Tests: they have failed 3 times')]);
  });

  test('T9: a passing run restarts the count; a read does not', async () => {
    let n = 0;
    const passing = { ...failing, tools: [readFile, bash(() => (++n === 3 ? 0 : 1))] };
    const guardrails = { ...failing.guardrails, nudges: { shellFailures: 0 } };
    const tests = (i: number) => run(`npm test ${i}`);
    expect((await looped({ ...passing, guardrails }, ...times(5, 'bash', tests))).codes).toEqual([]);
    const script = [
      calls(['bash', tests(1)]),
      calls(['read_file', at(1)]),
      calls(['bash', tests(2)]),
      calls(['bash', tests(4)]),
    ];
    expect((await looped({ ...failing, guardrails }, ...script)).codes).toEqual(['nudge failed_tests']);
  });
});

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
  guardrails: 'attocode' as const,
};
const run = (command: string) => ({ command });
const nothing = (requests: Parameters<typeof toldIn>[0]) =>
  requests.flatMap((_, i) => toldIn(requests, i + 1));

describe('T9: failed shells', () => {
  test('T9: three failed shells in a row; the advice differs if they work on files', async () => {
    const two = await looped(failing, ...times(2, 'bash', (i: number) => run(`make t${i}`)));
    expect(nothing(two.requests)).toEqual([]);
    const { requests, codes } = await looped(failing, ...times(3, 'bash', (i: number) => run(`make t${i}`)));
    expect(codes).toEqual(['nudge failed_shells']);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Do not try variations')]);
    const files = await looped(failing, ...times(3, 'bash', (i: number) => run(`sed -i s/a/b/ f${i}`)));
    expect(toldIn(files.requests, 4)).toEqual([expect.stringContaining('Use the file tools')]);
  });

  test('T9: a shell that throws has failed too, a refused one has not', async () => {
    const throwing = {
      ...failing,
      tools: [tool('bash', () => Promise.reject(new Error('no')), { effect: 'once' })],
    };
    expect((await looped(throwing, ...times(3, 'bash', (i: number) => run(`x${i}`)))).codes).toEqual([
      'nudge failed_shells',
    ]);
    const limits = { maxCallsPerReply: 1 };
    const { codes } = await looped(
      { ...throwing, limits },
      calls(...[1, 2, 3].map((i): [string, unknown] => ['bash', run(`x${i}`)])),
    );
    expect(codes).toEqual([]);
  });
});

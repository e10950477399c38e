import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped, times } from './loops.fixture.ts';

const reading = (name = 'read', answer: (input: Record<string, unknown>) => unknown = () => 'text') =>
  tool(name, answer);
const edit = tool('edit', () => 'ok', { effect: 'once' });
const bash = tool('bash', ({ command }) => ({ exitCode: 0, stdout: String(command) }), { effect: 'once' });
/** Without recovery, which lets the first halt pass (H16). */
const unrecovered = { preset: 'hamr' as const, recovery: { total: 0 } };
const hamr = { guardrails: unrecovered, tools: [reading(), edit, bash] };
const toolError = { state: 'error', reason: 'tool_error' };
const path = (name: string) => ({ path: name });

describe('H9: identical commands', () => {
  const run = (command: string) => ({ command });

  test('H9: three run, the fourth is refused and ends the run', async () => {
    const { end, results } = await looped(hamr, ...times(4, 'bash', run('make')));
    expect(end).toEqual({ ...toolError, steps: 4 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'refused']);
  });

  test('H9, H16: under the whole preset the run ends at the second fourth', async () => {
    const whole = { ...hamr, guardrails: 'hamr' as const };
    const { end } = await looped(whole, ...times(8, 'bash', run('make')));
    expect(end).toEqual({ ...toolError, steps: 8 });
  });

  test('H9: three are allowed', async () => {
    expect((await looped(hamr, ...times(3, 'bash', run('make')))).end).toMatchObject({ state: 'completed' });
  });

  test('H9: whitespace does not make a command different; other calls in between do not reset the count', async () => {
    const script = [
      calls(['bash', run('make  all')]),
      calls(['read', path('a')]),
      calls(['bash', run(' make all\n')]),
      calls(['bash', run('ls')]),
      calls(['bash', run('make\tall')]),
      calls(['bash', run('make all')]),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ ...toolError, steps: 6 });
  });

  test('H9: a successful edit clears the counts', async () => {
    const script = [
      ...times(3, 'bash', run('make')),
      calls(['edit', path('a')]),
      ...times(3, 'bash', run('make')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H9: on_nth refuses the third', async () => {
    const guardrails = {
      ...unrecovered,
      loop: { callStreak: { bash: { stopOn: 'on_nth' as const } } },
    };
    expect((await looped({ ...hamr, guardrails }, ...times(3, 'bash', run('make')))).end).toMatchObject({
      ...toolError,
      steps: 3,
    });
  });
});

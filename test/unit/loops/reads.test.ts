import { describe, expect, test } from 'vitest';
import { calls } from '../../../testing/scripted-model.ts';
import { ofType, textsOf, tool } from '../step/reading.fixture.ts';
import { looped, toldIn } from './loops.fixture.ts';

const reading = (name = 'read', answer: (input: Record<string, unknown>) => unknown = () => 'text') =>
  tool(name, answer);
const edit = tool('edit', () => 'ok', { effect: 'once' });
const bash = tool('bash', ({ command }) => ({ exitCode: 0, stdout: String(command) }), { effect: 'once' });
/** Without recovery, which lets the first halt pass (H16). */
const unrecovered = { preset: 'hamr' as const, recovery: { total: 0 } };
const hamr = { guardrails: unrecovered, tools: [reading(), edit, bash] };
const path = (name: string) => ({ path: name });

describe('H10: the read budget', () => {
  const read40 = (from: number, n: number) =>
    calls(...Array.from({ length: n }, (_, i): [string, unknown] => ['read', { path: `f${from + i}` }]));
  const quiet = { ...hamr, guardrails: { preset: 'hamr' as const, loop: { noMutation: { levels: [] } } } };

  test('H10: from the 32nd read on each request says how many are left', async () => {
    const { requests } = await looped(quiet, read40(0, 31), read40(31, 1), read40(32, 1), read40(33, 30));
    expect(toldIn(requests, 2)).toEqual([]);
    expect(toldIn(requests, 3)).toEqual([expect.stringContaining('32 are used, 32 are left')]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('33 are used, 31 are left')]);
    expect(toldIn(requests, 5)).toEqual([expect.stringContaining('63 are used, 1 are left')]);
  });

  test('H10: the 65th read is refused, and the run continues', async () => {
    const { end, results, requests } = await looped(
      quiet,
      read40(0, 32),
      read40(32, 32),
      read40(64, 1),
      read40(65, 3),
      calls(['edit', path('a')]),
    );
    expect(toldIn(requests, 3)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'ok')).toHaveLength(65);
    expect(results[64]).toMatchObject({
      outcome: 'refused',
      content: expect.stringContaining('All 64 reads'),
    });
    // Four refusals in a row, and three errors would have ended the run (H16).
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('H10: 0 is off', async () => {
    const guardrails = {
      preset: 'hamr' as const,
      reads: { budget: 0 },
      loop: { noMutation: { levels: [] } },
    };
    const { results, requests } = await looped({ ...hamr, guardrails }, read40(0, 40), read40(40, 40));
    expect(results.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(textsOf(requests.at(-1), 'user')).toEqual(['go']);
  });

  test('H10: people are notified once, and never see the text for the model', async () => {
    const { codes, events } = await looped(quiet, read40(0, 32), read40(32, 1), read40(33, 1));
    expect(codes).toEqual(['nudge reads_left']);
    expect(JSON.stringify(ofType(events, 'TEXT_MESSAGE_CONTENT'))).not.toContain('[loop-guard]');
  });
});

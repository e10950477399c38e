/** The request for a conversation that is too long, row by row, on the real step. */
import { describe, expect, test } from 'vitest';
import { textTokens } from '../../../shared/agent/context/estimate.ts';
import { says, scriptedModel, usage } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { foldsOf, get, getting, run } from './folds.fixture.ts';
import { answersIn, textsOf, tool } from './reading.fixture.ts';
import type { Definition } from './rows.fixture.ts';

/** Sends messages to an agent, each answered by the next of `replies`. */
async function talk(
  definition: Definition,
  messages: readonly string[],
  replies: Parameters<typeof says>[0][],
) {
  const model = scriptedModel(...replies.map((text) => says(text)));
  const world = await sessionWorld({ system: 'x', ...definition }, model);
  for (const text of messages) {
    await world.say(text);
    await world.settle();
  }
  return { world, model, folds: foldsOf(await world.slots()), asked: model.requests.at(-1) };
}

const tokens = (n: number, letter: string): string => letter.repeat(4 * n);
const letters = (n: number, from: string): string[] =>
  Array.from({ length: n }, (_, i) => String.fromCharCode(from.charCodeAt(0) + i));

describe('a conversation of messages of 40 tokens in a window of 100', () => {
  const said = letters(3, 'a').map((letter) => tokens(40, letter));
  const answers = letters(3, 'p').map((letter) => tokens(40, letter));

  test('A5: the request has at most 100 tokens, including the first message and the newest', async () => {
    const context = { strategy: 'sliding_window', window: 100 } as const;
    const { asked, folds } = await talk({ guardrails: { preset: 'aar', context } }, said, answers);
    expect(folds).not.toEqual([]);
    expect(asked && textTokens(asked)).toBeLessThanOrEqual(100);
    expect(textsOf(asked, 'user').map((text) => text.slice(0, 12))).toEqual([
      'aaaaaaaaaaaa',
      '[steploop] 4',
      'cccccccccccc',
    ]);
  });

  test('A5: with none everything is sent, and people see everything either way', async () => {
    const context = { strategy: 'none', window: 100 } as const;
    const { asked, folds } = await talk({ guardrails: { preset: 'aar', context } }, said, answers);
    expect(folds).toEqual([]);
    expect(textsOf(asked, 'user')).toEqual(said);
  });
});

test('A6: the first message, a marker with its numbers, and the newest in three quarters of the window', async () => {
  const said = letters(8, 'a').map((letter) => tokens(50, letter));
  const context = { strategy: 'compact', window: 500 } as const;
  const { asked, folds } = await talk({ guardrails: { preset: 'aar', context } }, said, said);
  const [first, marker] = textsOf(asked, 'user');
  expect(first).toBe(said[0]);
  expect(marker).toMatch(/^\[steploop\] \d+ messages of this conversation, about \d+ tokens, are left out/);
  expect(asked && textTokens(asked)).toBeLessThanOrEqual(500);
  expect(folds.at(0)?.summary).toBeUndefined();
  expect(folds.at(0)?.left.messages).toBeGreaterThan(1);
});

test.each([
  { counted: 122_880, folds: 0 },
  { counted: 122_881, folds: 1 },
])('H13: under hamr $counted tokens: $folds folds', async ({ counted, folds }) => {
  const waits = JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'And?' }] }]);
  const first = says('Yes.', usage(counted - Math.floor(waits.length / 4), 0));
  const model = scriptedModel(first, says('No.'));
  const world = await sessionWorld({ guardrails: 'hamr' }, model);
  for (const text of ['Is it so?', 'And?']) {
    await world.say(text);
    await world.settle();
  }
  expect(foldsOf(await world.slots())).toHaveLength(folds);
  expect(textsOf(model.requests.at(-1), 'user')).toContain('And?');
});

test('H20: of five tool turns the two oldest are read as facts, which are authoritative', async () => {
  const definition: Definition = {
    tools: [tool('get', ({ n }) => `result ${n}: ${'word '.repeat(500)}`)],
    guardrails: { context: { window: 6_000, reserve: 0, foldAt: 0.5, target: 0.5 } },
  };
  const { model, folds } = await run(definition, {}, ...getting(4), get(5), says('Done.'));
  expect(folds).toMatchObject([{ start: 0, clearedBelow: expect.any(Number) }]);
  const answers = answersIn(model.requests.at(-1)).map(({ content }) => String(content));
  expect(answers).toHaveLength(5);
  expect(answers.map((text) => /Old result, cleared\. .*authoritative/.test(text))).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});

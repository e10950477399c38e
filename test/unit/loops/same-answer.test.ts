import { expect, test } from 'vitest';
import { play } from './runs/play.ts';
import { each, one, type Step } from './runs/run.ts';

/** Steps, from 1, after which a guard spoke, and its code. */
async function saidAfter(steps: readonly Step[], preset: 'default' | 'praisonai-current' = 'default') {
  const { slots, end } = await play({ look: 'read', other: 'read' }, steps, {
    guardrails: preset,
    limits: { maxSteps: 200, maxToolCalls: 0 },
  });
  const tools = slots.filter(({ kind }) => kind === 'tools');
  const said = tools.flatMap(({ verdicts }, i) => verdicts.map(({ code }) => `${i + 1} ${code}`));
  return { said, state: end?.state };
}

const looks = (n: number, input: (i: number) => Record<string, unknown>, answer: unknown): Step[] =>
  each(n, (i) => one('look', input(i), answer));

test.each<[string, (i: number) => Record<string, unknown>, unknown]>([
  ['reworded searches', (i) => ({ query: `tax rate ${i}` }), { results: [] }],
  ['pages past the end', (i) => ({ offset: 100 * i }), { events: [] }],
  ['unknown records', (i) => ({ id: `r${i}` }), { status: 'not found', hint: 'check the id' }],
  ['searches without an answer', (i) => ({ query: `${i}` }), 'No results.'],
])(
  '%s that all find nothing: advised at the 12th and the 24th, and ended after 48',
  async (_what, input, answer) => {
    expect(await saidAfter(looks(48, input, answer))).toEqual({
      said: ['12 same_answer', '24 same_answer'],
      state: 'completed',
    });
    expect(await saidAfter(looks(60, input, answer))).toEqual({
      said: ['12 same_answer', '24 same_answer', '49 same_answer'],
      state: 'error',
    });
  },
);

test('different calls with the same hit: advised at the 24th and the 48th', async () => {
  const steps = looks(60, (i) => ({ query: `tax rate ${i}` }), { results: [{ url: 'https://t.example' }] });
  expect((await saidAfter(steps)).said).toEqual(['24 same_answer', '48 same_answer']);
});

test('a different call or answer in between restarts the row', async () => {
  const nothing = looks(11, (i) => ({ query: `q${i}` }), []);
  const again = looks(11, (i) => ({ query: `p${i}` }), []);
  expect((await saidAfter([...nothing, one('other', {}, 'found'), ...again])).said).toEqual([]);
  expect((await saidAfter([...nothing, one('look', { query: 'x' }, [1]), ...again])).said).toEqual([]);
});

test('a batch of twenty is one step', async () => {
  const batch: Step = each(20, (i) => ['look', { id: i }, null] as const);
  expect((await saidAfter([batch])).said).toEqual([]);
});

test('if news is counted this guard is silent', async () => {
  const { said } = await saidAfter(
    looks(30, (i) => ({ query: `q${i}` }), []),
    'praisonai-current',
  );
  expect(said.join()).not.toContain('same_answer');
});

import {
  contains,
  ends,
  fits,
  guards,
  lacks,
  neverCalls,
  type Scorer,
  type Scoring,
  scorer,
  trajectory,
  within,
} from 'steploop/evals';
import type { Rehearsed } from 'steploop/testing';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';

const call = (name: string, input: unknown, outcome = 'ok') => ({
  id: name,
  name,
  input,
  outcome,
  content: '',
});
const played = {
  state: 'completed',
  reason: 'completed',
  answer: 'Order 1001 was Sent.',
  calls: [
    call('find', { id: 1, deep: { a: 1, b: 2 } }),
    call('add', { labels: ['a', 'b'] }),
    call('find', { id: 2 }),
    call('write', {}, 'error'),
  ],
  verdicts: [
    { guard: 'repeat', code: 'told', kind: 'nudge', text: '' },
    { guard: 'time', code: 'off', kind: 'allow', message: '' },
    { guard: 'tasks', code: 'open', kind: 'nudge', text: '', unsaid: true },
  ],
  steps: 4,
  totals: { input: 900, output: 100, cacheRead: 5, cacheWrite: 0, costUsd: 0.02 },
} as unknown as Rehearsed;
const scoring: Scoring = {
  agent: defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' }),
  user: ['Hi'],
  model: undefined,
  priced: async (agent) => agent,
};
const said = (by: Scorer, of: Partial<Rehearsed> = {}) => by.score({ ...played, ...of }, scoring);

describe('a scorer', () => {
  it.each<[string, Scorer, number, boolean, string?]>([
    ['contains, whatever the case', contains('sent', /order \d+/i), 1, true],
    ['contains only a half', contains('sent', 'refund'), 0.5, false, 'The answer lacks "refund".'],
    ['lacks', lacks('refund'), 1, true],
    ['lacks not', lacks(/1001/), 0, false, 'The answer has /1001/.'],
    ['calls in order, others in between', trajectory(['find', ['find', { id: 2 }]]), 1, true],
    [
      'calls in the wrong order',
      trajectory(['add', ['find', { id: 1 }]]),
      0.5,
      false,
      'Expected find with {"id":1}.',
    ],
    ['calls in any order', trajectory(['add', ['find', { id: 1 }]], 'any_order'), 1, true],
    ['as many as are expected', trajectory(['add', 'add'], 'any_order'), 0.5, false, 'Expected add.'],
    ['parts of an input', trajectory([['find', { deep: { b: 2 } }]]), 1, true],
    ['lists whole', trajectory([['add', { labels: ['a'] }]]), 0, false],
    ['exactly these', trajectory(['find', 'add', 'find'], 'exact'), 1, true],
    ['one more than these', trajectory(['find', 'add'], 'exact'), 2 / 3, false, '1 more call was made'],
    ['a call that failed', trajectory(['write']), 0, false, 'write (error)'],
    ['never calls', neverCalls('remove'), 1, true],
    ['never calls, and it tried', neverCalls('write'), 0, false, 'It called write.'],
    ['ends', ends('completed', 'completed'), 1, true],
    ['ends otherwise', ends('error'), 0, false, 'It ended as completed, completed.'],
    ['within', within({ steps: 4, calls: 4, tokens: 1_000, costUsd: 0.02 }), 1, true],
    [
      'beyond',
      within({ steps: 2, tokens: 500 }),
      0.5,
      false,
      'It used 4 steps of 2. It used 1000 tokens of 500.',
    ],
    ['guards that speak', guards({ speak: ['repeat:told'], silent: 'all' }), 1, true],
    ['guards that are silent', guards({ silent: ['time', 'tasks'] }), 1, true],
    ['a guard that should have spoken', guards({ speak: ['time'] }), 0, false, 'time said nothing.'],
    ['a guard that should not have', guards({ silent: 'all' }), 0, false, 'repeat said told.'],
    ['a function', scorer('mine', ({ steps }) => steps === 4), 1, true],
  ])('%s', async (_what, by, score, passed, why) => {
    const got = await said(by);
    expect(got.score).toBeCloseTo(score);
    expect(got.passed).toBe(passed);
    if (why) expect(got.why).toContain(why);
  });

  it('matches an object, or a text that is JSON', async () => {
    const by = fits(z.object({ n: z.int() }));
    expect(await said(by, { object: { n: 1 } })).toMatchObject({ passed: true });
    expect(await said(by, { answer: '{"n":1}' })).toMatchObject({ passed: true });
    expect(await said(by, { object: { n: 'one' } })).toMatchObject({ passed: false });
    expect((await said(by)).why).toBe('The answer is not JSON.');
  });
});

test('a score is always between 0 and 1', async () => {
  const many = guards({ speak: ['x'], silent: 'all' });
  const verdicts = ['a', 'b', 'c'].map((guard) => ({ guard, code: 'c', kind: 'nudge', text: '' })) as never;
  expect((await said(many, { verdicts })).score).toBe(0);
});

import { describe, expect, test } from 'vitest';
import { Injections } from '../../../shared/agent/config/injections.ts';
import { allot, slotOf } from '../../../shared/agent/guardrails/context/injections.ts';

const ofTokens = (tokens: number, code = 'doom_loop') => ({ code, text: 'x'.repeat(tokens * 4) });
const config = (more: Partial<Injections> = {}) => Injections.parse({ maxTokens: slots(0), ...more });
const slots = (n: number) => ({ limits: n, loop: n, failure: n, recitation: n, exploration: n });
const outcomes = (wanted: Parameters<typeof allot>[0], settings = config()) =>
  allot(wanted, settings).map(({ text, lost }) => lost ?? Math.ceil(text.length / 4));

describe('T13: the budget of a step', () => {
  test('T13: texts that fit are included', () => {
    expect(outcomes([ofTokens(500), ofTokens(500), ofTokens(500)])).toEqual([500, 500, 500]);
  });

  test.each([
    { left: 101, lost: 'cut', tokens: 101 },
    { left: 100, lost: 'dropped', tokens: 200 },
  ])('T13: with $left tokens left, the next one of 200 is $lost', ({ left, lost, tokens }) => {
    const [first, second] = allot([ofTokens(1_500 - left), ofTokens(200)], config());
    expect(first?.lost).toBeUndefined();
    expect(second?.lost).toBe(lost);
    expect(Math.ceil((second?.text.length ?? 0) / 4)).toBe(tokens);
  });

  test('T13: a smaller text is still included after a dropped one', () => {
    expect(outcomes([ofTokens(1_420), ofTokens(200), ofTokens(80)])).toEqual([1_420, 'dropped', 80]);
  });

  test('T13: by priority, whatever the order: limits, loops, failures, recitation, exploration', () => {
    const codes = ['exploration', 'recitation', 'failures_left', 'doom_loop', 'wrap_up'];
    const wanted = codes.map((code) => ofTokens(400, code));
    expect(outcomes(wanted)).toEqual(['dropped', 'cut', 400, 400, 400]);
    expect(outcomes(wanted.toReversed())).toEqual([400, 400, 400, 'cut', 'dropped']);
  });

  test('T13: in the given order within a priority', () => {
    expect(outcomes([ofTokens(1_000), ofTokens(900), ofTokens(1_000)])).toEqual([1_000, 'cut', 'dropped']);
  });

  test('T13: each text is first cut to the limit of its slot', () => {
    const [one] = allot(
      [ofTokens(600, 'recitation')],
      config({ maxTokens: { ...slots(0), recitation: 500 } }),
    );
    expect(one?.lost).toBe('cut');
    expect(one?.text).toMatch(/x … \[cut\]$/);
    expect(one?.text).toHaveLength(2_000);
  });

  test('T13: a cut leaves no half of a character', () => {
    const [one] = allot(
      [{ code: 'a', text: `${'x'.repeat(1)}${'😀'.repeat(900)}` }],
      config({ budgetTokens: 300 }),
    );
    expect(one?.lost).toBe('cut');
    expect(one?.text.isWellFormed()).toBe(true);
  });

  test('T13: never exceeds the budget, and repeats no text', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const wanted = Array.from({ length: seed % 7 }, (_, i) =>
        ofTokens(
          (seed * (i + 3) * 37) % 900,
          ['wrap_up', 'doom_loop', 'failing', 'recitation', 'own'][(seed + i) % 5],
        ),
      );
      const told = allot(wanted, Injections.parse({}));
      const sum = told.reduce(
        (all, { text, lost }) => all + (lost === 'dropped' ? 0 : Math.ceil(text.length / 4)),
        0,
      );
      expect(sum).toBeLessThanOrEqual(1_500);
      expect(told).toHaveLength(wanted.length);
    }
  });

  test('T13: text from outside is advice, and text that the run depends on is not', () => {
    expect(['last_refund', 'recovery_empty_response', 'deadline', 'empty_response'].map(slotOf)).toEqual([
      'loop',
      'limits',
      'limits',
      'limits',
    ]);
  });

  test.each([1, 299])(
    'T13: a budget of %i would cut the words for limits, and is refused',
    (budgetTokens) => {
      expect(() => Injections.parse({ budgetTokens })).toThrow('at least 300');
    },
  );
});

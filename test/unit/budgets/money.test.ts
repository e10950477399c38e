import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toMicroUsd } from '../../../shared/agent/budgets/amount.ts';
import { boughtBy } from '../../../shared/agent/budgets/purchase.ts';
import { nearBudget } from '../../../shared/agent/guardrails/budgets/budget.ts';
import { addTotals, costOf } from '../../../shared/agent/session/cost.ts';
import { noTotals, noUsage } from '../../../shared/agent/session/session.ts';
import { addUsd, fromNano, showUsd, subtractUsd, toNano } from '../../../shared/contract/money.ts';

const nano = fc.integer({ min: 0, max: 2e15 });

describe('A11: money is whole billionths of a dollar', () => {
  test('A11: an amount is the same number after a round trip through decimal text', () => {
    fc.assert(
      fc.property(nano, (n) => {
        expect(toNano(JSON.parse(JSON.stringify(fromNano(n))))).toBe(n);
      }),
    );
  });

  test('A11: a sum does not depend on the order of its parts, and is exact', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { maxLength: 100 }), (parts) => {
        const sum = (of: readonly number[]) => of.map(fromNano).reduce(addUsd, 0);
        expect(toNano(sum(parts))).toBe(parts.reduce((a, b) => a + b, 0));
        expect(sum(parts)).toBe(sum(parts.toReversed()));
      }),
    );
  });

  test('A11: eight times ten cents are eighty, also for sums that floats had stored', () => {
    expect(Array<number>(8).fill(0.1).reduce(addUsd, 0)).toBe(0.8);
    const floats = Array<number>(8)
      .fill(0.1)
      .reduce((a, b) => a + b, 0);
    expect(floats).toBeLessThan(0.8);
    expect(addTotals({ ...noTotals, costUsd: floats }, noTotals).costUsd).toBe(0.8);
    expect(subtractUsd(0.8, 0.7)).toBe(0.1);
  });

  test.each([
    { price: 0.1, tokens: 1, usd: 0.0000001 },
    { price: 0.02, tokens: 3, usd: 0.00000006 },
    { price: 3.75, tokens: 7, usd: 0.00002625 },
    // Half a billionth is not an amount: for one call it is rounded up, once.
    { price: 0.0375, tokens: 1, usd: 0.000000038 },
    { price: 0.0375, tokens: 2, usd: 0.000000075 },
    { price: 15, tokens: 100_000_000, usd: 1500 },
    { price: 1e-9, tokens: 1, usd: 0 },
  ])('A10: $tokens tokens at $price USD a million cost exactly $usd', ({ price, tokens, usd }) => {
    const of = { input: price, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(costOf({ ...noUsage, input: tokens }, of)).toBe(usd);
  });

  test('a tenant is charged whole millionths, and never too little', () => {
    expect(toMicroUsd(0.1 + 0.2)).toBe(300_000);
    expect(toMicroUsd(0.000000001)).toBe(1);
    expect([toMicroUsd(1e-12), toMicroUsd(0)]).toEqual([1, 0]);
    const price = { input: 0.1, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(boughtBy({ ...noUsage, input: 11 }, price).microUsd).toBe(2);
    expect(boughtBy({ ...noUsage, input: 10 }, price).microUsd).toBe(1);
  });

  test('A16: near is exact too', () => {
    const of = (costUsd: number) =>
      nearBudget(
        { tokens: 0, costUsd },
        { tokenBudget: 0, costLimitUsd: 0.8, scope: 'run' },
        { reserveTokens: 512, reserveCostFraction: 0.1 },
      );
    expect([of(0.719999999), of(0.72)]).toEqual([false, true]);
  });

  test.each([
    [0, '$0.00'],
    [0.8, '$0.80'],
    [0.7999999999999999, '$0.80'],
    [1, '$1.00'],
    [1234.5, '$1234.50'],
    [0.0123, '$0.0123'],
    [0.000000038, '$0.000000038'],
    [0.799999999, '$0.799999999'],
  ])('%f is shown as %s', (usd, shown) => {
    expect(showUsd(usd)).toBe(shown);
  });
});

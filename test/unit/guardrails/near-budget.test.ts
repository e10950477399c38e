import { describe, expect, test } from 'vitest';
import { nearBudget } from '../../../shared/agent/guardrails/budgets/budget.ts';
import { costOf } from '../../../shared/agent/session/cost.ts';
import { noUsage } from '../../../shared/agent/session/session.ts';

const reserve = { reserveTokens: 512, reserveCostFraction: 0.1 };

describe('A16: near_budget', () => {
  test.each([
    { tokens: 487, budget: 1000, near: false, what: '513 left' },
    { tokens: 488, budget: 1000, near: true, what: '512 left' },
    { tokens: 1000, budget: 1000, near: true, what: 'nothing left' },
    { tokens: 1e9, budget: 0, near: false, what: 'a zero limit' },
    { tokens: 0, budget: 500, near: true, what: 'a limit below the reserve' },
  ])('A16: tokens, $what: $near', ({ tokens, budget, near }) => {
    expect(
      nearBudget({ tokens, costUsd: 0 }, { tokenBudget: budget, costLimitUsd: 0, scope: 'run' }, reserve),
    ).toBe(near);
  });

  test.each([
    { costUsd: 0.89, limit: 1, fraction: 0.1, near: false },
    { costUsd: 0.9, limit: 1, fraction: 0.1, near: true },
    { costUsd: 0.8, limit: 1, fraction: 0.2, near: true },
    { costUsd: 0.85, limit: 1, fraction: 0.1, near: false },
    { costUsd: 99, limit: 0, fraction: 0.1, near: false },
  ])(
    'A16: $costUsd of $limit dollars with $fraction in reserve: $near',
    ({ costUsd, limit, fraction, near }) => {
      const limits = { tokenBudget: 0, costLimitUsd: limit, scope: 'run' } as const;
      expect(nearBudget({ tokens: 0, costUsd }, limits, { ...reserve, reserveCostFraction: fraction })).toBe(
        near,
      );
    },
  );
});

describe('A10: cost', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  test.each([
    { usage: { input: 1e6 }, usd: 3 },
    { usage: { output: 1e6 }, usd: 15 },
    { usage: { cacheRead: 1e6 }, usd: 0.3 },
    { usage: { cacheWrite: 1e6 }, usd: 3.75 },
    { usage: { input: 1000, output: 200, cacheRead: 5000, cacheWrite: 100 }, usd: 0.007875 },
    { usage: {}, usd: 0 },
  ])('A10: $usage costs $usd', ({ usage, usd }) => {
    expect(costOf({ ...noUsage, ...usage }, price)).toBeCloseTo(usd, 12);
  });

  test('A10: no price, no cost', () => {
    expect(costOf({ ...noUsage, input: 1e9 }, undefined)).toBe(0);
  });
});

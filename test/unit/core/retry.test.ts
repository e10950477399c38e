import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define.ts';
import type { Failure } from '../../../shared/agent/reply.ts';
import { decideRetry } from '../../../shared/agent/retry.ts';

const agent = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
const { limits } = agent;
const failure = (more: Partial<Extract<Failure, { kind: 'retry' }>> = {}): Failure => ({
  kind: 'retry',
  code: 'overloaded_error',
  message: 'busy',
  rateLimited: false,
  ...more,
});
const delay = (of: Failure, failed: number, random: number) => {
  const decision = decideRetry(of, failed, { ...agent, limits: { ...limits, maxRetries: 10 } }, random);
  return decision.kind === 'retry' ? decision.delayMs : decision;
};

describe('A8: decideRetry', () => {
  test.each([
    { failed: 1, random: 0, ms: 500 },
    { failed: 1, random: 0.999, ms: 1_499 },
    { failed: 2, random: 0, ms: 1_000 },
    { failed: 2, random: 0.5, ms: 2_000 },
    { failed: 3, random: 0.5, ms: 4_000 },
    { failed: 4, random: 0.5, ms: 8_000 },
  ])('A8: failure $failed with chance $random waits $ms ms', ({ failed, random, ms }) => {
    expect(delay(failure(), failed, random)).toBe(ms);
  });

  test.each([
    { failed: 1, random: 0, ms: 24_000 },
    { failed: 1, random: 0.5, ms: 30_000 },
    { failed: 2, random: 0.5, ms: 60_000 },
    { failed: 3, random: 1, ms: 108_000 },
  ])('A8: rate limit $failed with chance $random waits $ms ms', ({ failed, random, ms }) => {
    expect(delay(failure({ rateLimited: true }), failed, random)).toBe(ms);
  });

  test.each([
    { what: 'a longer wish is honoured', retryAfterMs: 3_600_000, ms: 3_600_000 },
    { what: 'a shorter one does not beat the backoff', retryAfterMs: 100, ms: 1_000 },
    { what: 'zero does not either', retryAfterMs: 0, ms: 1_000 },
  ])('A8: retry-after: $what', ({ retryAfterMs, ms }) => {
    expect(delay(failure({ retryAfterMs, rateLimited: true }), 1, 0.5)).toBe(ms);
  });

  test('A8: max_retries is the number of attempts, the first included', () => {
    expect(limits.maxRetries).toBe(3);
    expect(decideRetry(failure(), 2, agent, 0.5).kind).toBe('retry');
    expect(decideRetry(failure(), 3, agent, 0.5)).toEqual({
      kind: 'give_up',
      message: 'overloaded_error: busy (tried 3 times)',
    });
  });

  test.each(['account', 'fatal'] as const)('A8: %s is given up at once', (kind) => {
    expect(decideRetry({ kind, code: 'c', message: 'm' }, 1, agent, 0.5)).toEqual({
      kind: 'give_up',
      message: 'c: m',
    });
  });
});

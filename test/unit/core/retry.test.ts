import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { newRun } from '../../../shared/agent/session/session.ts';
import { decideRetry, withinTimeout } from '../../../shared/agent/step/model/retry.ts';

const agent = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
const { limits } = agent;
const unbounded = defineAgent({
  ...{ name: 'a', version: '1', model: { name: 'm' }, system: 's' },
  guardrails: { retry: { maxSeconds: 0 } },
});
const failure = (more: Partial<Extract<Failure, { kind: 'retry' }>> = {}): Failure => ({
  kind: 'retry',
  code: 'overloaded_error',
  message: 'busy',
  rateLimited: false,
  ...more,
});
const tries = (times: number, lastedMs = 0) => ({ times, lastedMs });
const delay = (of: Failure, failed: number, random: number, by = agent) => {
  const decision = decideRetry(
    of,
    tries(failed),
    { ...by, limits: { ...limits, maxRetries: 10 } },
    () => random,
  );
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
  ])(
    'A8: without a longest wait, rate limit $failed with chance $random waits $ms ms',
    ({ failed, random, ms }) => {
      expect(delay(failure({ rateLimited: true }), failed, random, unbounded)).toBe(ms);
    },
  );

  test.each([
    { rateLimited: false, failed: 6, random: 0.5, ms: 32_000 },
    { rateLimited: false, failed: 7, random: 0, ms: 20_000 },
    { rateLimited: false, failed: 7, random: 1, ms: 60_000 },
    { rateLimited: false, failed: 90, random: 1, ms: 60_000 },
    { rateLimited: true, failed: 1, random: 0.5, ms: 30_000 },
    { rateLimited: true, failed: 2, random: 0.5, ms: 50_000 },
    { rateLimited: true, failed: 9, random: 0, ms: 40_000 },
    { rateLimited: true, failed: 9, random: 1, ms: 60_000 },
  ])(
    'waits grow to 60 s, spread below it: $failed with chance $random, $ms ms',
    ({ rateLimited, failed, random, ms }) => {
      expect(delay(failure({ rateLimited }), failed, random)).toBe(ms);
    },
  );

  test.each([
    { what: 'a longer retry-after is honoured', retryAfterMs: 3_600_000, ms: 3_600_000 },
    { what: 'a shorter one does not beat the backoff', retryAfterMs: 100, ms: 1_000 },
    { what: 'zero does not either', retryAfterMs: 0, ms: 1_000 },
  ])('A8: retry-after: $what', ({ retryAfterMs, ms }) => {
    expect(delay(failure({ retryAfterMs, rateLimited: true }), 1, 0.5)).toBe(ms);
  });

  test('U11: waits of two seconds or more are rounded to whole seconds, up or down at random, so that their mean is as drawn', () => {
    const waits = (drawn: number, rounding: readonly number[]) =>
      rounding.map((r) => {
        const randoms = [drawn, r];
        const decision = decideRetry(failure(), tries(3), agent, () => randoms.shift() ?? 0);
        return decision.kind === 'retry' ? decision.delayMs : 0;
      });
    // Drawn: 4 s × 0.8 = 3.2 s.
    expect(waits(0.3, [0, 0.19, 0.21, 0.99])).toEqual([4_000, 4_000, 3_000, 3_000]);
    const even = Array.from({ length: 1_000 }, (_, i) => i / 1_000);
    const mean = waits(0.3, even).reduce((sum, ms) => sum + ms, 0) / 1_000;
    expect(mean).toBeCloseTo(3_200, -1);
  });

  test('U11: a server’s own wish is never rounded down, nor is the end of an outage passed', () => {
    expect(delay(failure({ retryAfterMs: 7_300 }), 1, 0.999)).toBe(7_300);
    expect(decided(failure(), 20, 890.4)).toMatchObject({ delayMs: 9_600 });
  });

  test('A8: max_retries is the number of attempts, the first included', () => {
    const counts = { ...agent, limits: { ...limits, outageSeconds: 0 } };
    expect(limits.maxRetries).toBe(3);
    expect(decideRetry(failure(), tries(2), counts, () => 0.5)).toMatchObject({
      kind: 'retry',
      spent: false,
    });
    expect(decideRetry(failure(), tries(3), counts, () => 0.5)).toEqual({
      kind: 'give_up',
      message: 'overloaded_error: busy (tried 3 times)',
    });
  });

  const decided = (of: Failure, times: number, lastedS: number) =>
    decideRetry(of, tries(times, lastedS * 1000), agent, () => 0.5);
  const giveUp = { kind: 'give_up' };
  test.each<{ what: string; times: number; lastedS: number; of?: Failure; decision: object }>([
    {
      what: 'few tries in a long time',
      times: 2,
      lastedS: 5_000,
      decision: { delayMs: 2_000, spent: false },
    },
    { what: 'many tries in a short time', times: 5, lastedS: 31, decision: { delayMs: 16_000, spent: true } },
    {
      what: 'the last try',
      times: 20,
      lastedS: 890,
      decision: { delayMs: 10_000, spent: true, leftMs: 10_000 },
    },
    { what: 'both over', times: 20, lastedS: 900, decision: giveUp },
    {
      what: 'a retry-after beyond it',
      times: 20,
      lastedS: 890,
      of: failure({ rateLimited: true, retryAfterMs: 100_000 }),
      decision: { delayMs: 100_000, spent: true },
    },
    {
      what: 'a cut by our own deadline',
      times: 3,
      lastedS: 10,
      of: failure({ ourTime: true }),
      decision: giveUp,
    },
  ])('an outage is outlasted for 900 s: $what', ({ times, lastedS, of = failure(), decision }) => {
    expect(decided(of, times, lastedS)).toMatchObject(decision);
  });

  test('the final error says how often and for how long it was tried', () => {
    expect(decided(failure(), 21, 905)).toMatchObject({
      message: 'overloaded_error: busy (tried 21 times in 905 s)',
    });
  });

  test.each(['account', 'fatal'] as const)('A8: %s is not retried', (kind) => {
    expect(decideRetry({ kind, code: 'c', message: 'm' }, tries(1), agent, () => 0.5)).toEqual({
      kind: 'give_up',
      message: 'c: m',
    });
  });
});

describe('withinTimeout', () => {
  const run = { ...newRun, startedAt: 1_000, pausedMs: 5_000 };
  test.each([
    { what: 'no timeout', timeoutSeconds: 0, now: 2_000, ms: 60_000 },
    { what: 'a far one', timeoutSeconds: 900, now: 2_000, ms: 60_000 },
    { what: 'a near one', timeoutSeconds: 10, now: 2_000, ms: 14_001 },
    { what: 'an expired one', timeoutSeconds: 10, now: 90_000, ms: 0 },
  ])('a wait never outlasts the timeout of the run: $what', ({ timeoutSeconds, now, ms }) => {
    expect(withinTimeout(60_000, run, { limits: { ...limits, timeoutSeconds } }, now)).toBe(ms);
  });
});

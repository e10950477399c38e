import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { endingIn, msLeft } from '../../../shared/aws/deadline.ts';
import { patiently } from '../../../shared/aws/patiently.ts';

type Outcome = number | 'no answer';

/** Asks a server that answers so in turn. @param random for every pause */
async function asked(outcomes: readonly Outcome[], { random = 0.5, left = Number.POSITIVE_INFINITY } = {}) {
  const pauses: number[] = [];
  let passed = 0;
  let tries = 0;
  const ask = async () => {
    const outcome = outcomes[tries++] ?? 200;
    if (outcome === 'no answer') throw new TypeError('fetch failed');
    return new Response(null, { status: outcome });
  };
  const waiting = {
    sleep: async (ms: number) => {
      pauses.push(ms);
      passed += ms;
    },
    random: () => random,
    msLeft: () => left - passed,
  };
  const answer = await patiently(ask, waiting).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { answer, tries, pauses };
}

describe('a request that may be repeated', () => {
  test.each<[string, Outcome[], unknown, number]>([
    ['is not repeated after an answer', [200], 200, 1],
    ['is not repeated after a refusal', [403], 403, 1],
    ['is not repeated for what is not there', [404], 404, 1],
    ['is repeated after a failure', [500, 200], 200, 2],
    ['is repeated while the server asks for fewer requests', [503, 503, 200], 200, 3],
    ['is repeated after too many requests', [429, 200], 200, 2],
    ['is repeated without an answer', ['no answer', 200], 200, 2],
    ['is tried three times', [500, 502, 503, 200], 503, 3],
    [
      'is tried three times without an answer',
      ['no answer', 'no answer', 'no answer', 200],
      'fetch failed',
      3,
    ],
    ['ends with the last outcome, whichever it is', ['no answer', 500, 'no answer'], 'fetch failed', 3],
  ])('%s', async (_what, outcomes, answer, tries) => {
    expect(await asked(outcomes)).toMatchObject({ answer, tries });
  });

  test('pauses before each further try, longer each time, and longest when the server asks for it', async () => {
    expect((await asked([500, 500, 500])).pauses).toEqual([150, 300]);
    expect((await asked(['no answer', 'no answer'])).pauses).toEqual([150, 300]);
    expect((await asked([503, 429, 503])).pauses).toEqual([600, 1200]);
  });

  test('pauses at random, so that callers which failed together come back apart', async () => {
    const pauses = await Promise.all([0, 0.25, 0.999].map((random) => asked([500], { random })));
    expect(pauses.map(({ pauses: [first] }) => first)).toEqual([100, 125, 200]);
  });

  test('is not repeated when the invocation would be ended before it could be', async () => {
    expect(await asked([503, 200], { left: 1_599 })).toEqual({ answer: 503, tries: 1, pauses: [] });
    expect(await asked([503, 200], { left: 1_600 })).toEqual({ answer: 200, tries: 2, pauses: [600] });
    expect(await asked([500, 500, 200], { left: 1_200 })).toEqual({ answer: 500, tries: 2, pauses: [150] });
    expect(await asked(['no answer'], { left: 0 })).toEqual({ answer: 'fetch failed', tries: 1, pauses: [] });
  });

  test('knows the time of its own invocation, however many run in one environment', async () => {
    const lefts = await Promise.all(
      [10_000, 60_000].map((ms) =>
        endingIn(ms, async () => {
          await pause(5);
          return msLeft();
        }),
      ),
    );
    expect(lefts.map((ms) => Math.ceil(ms / 1_000))).toEqual([10, 60]);
    expect(msLeft()).toBe(Number.POSITIVE_INFINITY);
  });
});

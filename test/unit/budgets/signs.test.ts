/** Rate limits that slow all sessions of a model together: the reads, writes and requests of an environment. */

import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import type { SignOf, SignStore } from '../../../shared/edge/signs.ts';
import { createSigns } from '../../../shared/memory/signs.ts';
import { slowedTogether } from '../../../shared/models/slowed.ts';
import { virtualClock } from '../../../testing/clock.ts';
import { fails, says } from '../../../testing/scripted-model.ts';

const of: SignOf = { server: 'main', model: 'm', group: 0 };
const limited = (retryAfterMs?: number): ModelOutcome =>
  fails({
    code: 'rate_limit_error',
    rateLimited: true,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

/** Environments of one group, or each of its own, that call a server with scripted answers. */
function world({ groups = 1 }: { groups?: number } = {}) {
  const clock = virtualClock();
  const memory = createSigns();
  const did: string[] = [];
  let down = false;
  const noted = async <T>(what: string, done: () => Promise<T>): Promise<T> => {
    did.push(what);
    if (down) throw new Error('the table is away');
    return done();
  };
  const store: SignStore = {
    read: (at) => noted('read', () => memory.read(at)),
    put: (at, sign) => noted('put', () => memory.put(at, sign)),
  };
  let answer: ModelOutcome = says('ok');
  let opened = 0;
  return {
    clock,
    memory,
    /** The operations since the last call: reads and puts of the store, requests to the server. */
    done: () => did.splice(0),
    answers(outcome: ModelOutcome) {
      answer = outcome;
    },
    breaks(is = true) {
      down = is;
    },
    environment(missed: (error: unknown) => void = () => {}) {
      const n = opened++;
      const ids = { random: () => (n % groups) / groups };
      const provider = slowedTogether(store, { clock, ids, groups, missed })({
        async complete() {
          did.push('asked');
          return answer;
        },
      });
      return (request: Partial<ModelRequest> = {}, signal = new AbortController().signal) =>
        provider.complete({ server: 'main', model: 'm', ...request } as ModelRequest, () => {}, signal);
    },
  };
}

const unasked = (retryAfterMs: number): object => ({
  kind: 'failed',
  failure: { kind: 'retry', code: 'rate_limit_error', rateLimited: true, unasked: true, retryAfterMs },
});

describe('a model with a shared rate limit', () => {
  test.each<[string, ModelOutcome]>([
    ['replies', says('ok')],
    ['is overloaded, and does not say for how long', fails()],
    ['requires payment', { kind: 'failed', failure: { kind: 'account', code: 'c', message: 'm' } }],
    ['refuses the request', { kind: 'failed', failure: { kind: 'fatal', code: 'c', message: 'm' } }],
  ])('is called without any store access while it %s', async (_what, outcome) => {
    const it = world();
    const ask = it.environment();
    it.answers(outcome);
    for (let n = 0; n < 3; n++) expect(await ask()).toBe(outcome);
    expect(it.done()).toEqual(['asked', 'asked', 'asked']);
  });

  test.each<[string, ModelOutcome]>([
    ['has refused for a rate limit', limited(20_000)],
    ['has sent a retry-after', fails({ code: 'rate_limit_error', retryAfterMs: 20_000 })],
  ])('is not called again while the sign stands, once it %s', async (_what, outcome) => {
    const it = world();
    const ask = it.environment();
    it.answers(outcome);
    expect(await ask()).toBe(outcome);
    expect(it.done()).toEqual(['asked', 'read', 'put']);
    await it.clock.advance(5_000);
    expect(await ask()).toMatchObject(unasked(15_000));
    expect(it.done()).toEqual([]);
    it.answers(says('ok'));
    await it.clock.advance(15_000);
    expect(await ask()).toMatchObject({ kind: 'reply' });
  });

  test('other environments of the group call until they are refused themselves, and from then on look first', async () => {
    const it = world();
    const [first, second] = [it.environment(), it.environment()];
    it.answers(limited(20_000));
    await first();
    it.done();
    expect(await second()).toMatchObject({ failure: { message: 'overloaded' } });
    // Its earlier read shows that no environment needs to be told.
    expect(it.done()).toEqual(['asked', 'read']);

    await it.clock.advance(20_000);
    it.answers(limited(10_000));
    await first();
    expect(it.done()).toEqual(['read', 'asked', 'put']);
    await it.clock.advance(1_000);
    expect(await second()).toMatchObject(unasked(9_000));
    expect(it.done()).toEqual(['read']);
  });

  test('parallel looks, or looks within a second, share one read', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited(3_000));
    await ask();
    it.answers(says('ok'));
    await it.clock.advance(3_000);
    it.done();
    await Promise.all([ask(), ask(), ask()]);
    expect(it.done().filter((what) => what === 'read')).toHaveLength(1);
    await it.clock.advance(999);
    await ask();
    expect(it.done()).toEqual(['asked']);
    await it.clock.advance(1);
    await ask();
    expect(it.done()).toEqual(['read', 'asked']);
  });

  test('five minutes after the last refusal the looks end', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited(10_000));
    await ask();
    it.answers(says('ok'));
    await it.clock.advance(299_999);
    it.done();
    await ask();
    expect(it.done()).toEqual(['read', 'asked']);
    await it.clock.advance(1);
    await ask();
    expect(it.done()).toEqual(['asked']);
  });

  test.each([
    ['is kept for a minute, if the server says longer', limited(3_600_000), 60_000],
    ['is kept as long as the server says', limited(17_500), 17_500],
    ['is kept for five seconds, if it says nothing', limited(), 5_000],
  ])('a sign %s', async (_what, outcome, ms) => {
    const it = world();
    const ask = it.environment();
    it.answers(outcome);
    await ask();
    const until = it.clock.now() + ms;
    expect(await it.memory.read(of)).toEqual({ until, code: 'rate_limit_error' });
    await it.clock.advance(ms - 1);
    expect(await ask()).toMatchObject(unasked(1));
    await it.clock.advance(1);
    it.done();
    await ask();
    expect(it.done()).toContain('asked');
  });

  test('if the server gives no time, each sign is twice as long, up to half a minute', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited());
    const stood: number[] = [];
    for (let n = 0; n < 5; n++) {
      await ask();
      const ms = ((await it.memory.read(of))?.until ?? 0) - it.clock.now();
      stood.push(ms);
      await it.clock.advance(ms);
    }
    expect(stood).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
    await it.clock.advance(300_000);
    await ask();
    expect(((await it.memory.read(of))?.until ?? 0) - it.clock.now()).toBe(5_000);
  });

  test('a sign that is shorter than a second, or less than that later, is not written', async () => {
    const it = world();
    const [first, second] = [it.environment(), it.environment()];
    it.answers(limited(999));
    await first();
    expect(it.done()).toEqual(['asked']);
    it.answers(limited(10_000));
    await second();
    it.done();
    await it.clock.advance(999);
    await first();
    expect(it.done()).toEqual(['read']);
    const third = it.environment();
    await third();
    expect(it.done()).toEqual(['asked', 'read']);
    await it.clock.advance(1);
    await it.environment()();
    expect(it.done()).toEqual(['asked', 'read', 'put']);
  });

  test('of requests that are refused at the same moment one writes it', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited(10_000));
    await Promise.all([ask(), ask(), ask()]);
    expect(it.done()).toEqual(['asked', 'asked', 'asked', 'read', 'put']);
  });

  test('other models, other servers and other groups are not held back', async () => {
    const it = world({ groups: 2 });
    const [first, second] = [it.environment(), it.environment()];
    it.answers(limited(10_000));
    await first();
    await second();
    expect(await it.memory.read({ ...of, group: 1 })).toBeDefined();
    it.answers(says('ok'));
    expect(await first({ model: 'other' })).toMatchObject({ kind: 'reply' });
    expect(await first({ server: 'other' })).toMatchObject({ kind: 'reply' });
    await it.clock.advance(10_000);
    await it.memory.put({ ...of, group: 1 }, { until: it.clock.now() + 5_000, code: 'rate_limit_error' });
    expect(await first()).toMatchObject({ kind: 'reply' });
    expect(await second()).toMatchObject(unasked(5_000));
  });

  test('an aborted request is not made anyway: the provider reports it', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited(10_000));
    await ask();
    it.done();
    await ask({}, AbortSignal.abort());
    expect(it.done()).toEqual(['asked']);
  });

  test('without the table each environment uses its own refusals', async () => {
    const it = world();
    const errors: unknown[] = [];
    const ask = it.environment((error) => errors.push(error));
    it.breaks();
    it.answers(limited(10_000));
    expect(await ask()).toMatchObject({ failure: { retryAfterMs: 10_000 } });
    expect(await ask()).toMatchObject(unasked(10_000));
    it.answers(says('ok'));
    await it.clock.advance(10_000);
    expect(await ask()).toMatchObject({ kind: 'reply' });
    expect(errors).toHaveLength(3);
  });

  test('a sign of a wrong clock is ignored', async () => {
    const it = world();
    const ask = it.environment();
    it.answers(limited(10_000));
    await ask();
    it.answers(says('ok'));
    await it.clock.advance(10_000);
    await it.memory.put(of, { until: it.clock.now() + 120_001, code: 'rate_limit_error' });
    expect(await ask()).toMatchObject({ kind: 'reply' });
    await it.clock.advance(1_000);
    // A sign of a clock that is a little wrong is believed for a minute.
    await it.memory.put(of, { until: it.clock.now() + 100_000, code: 'rate_limit_error' });
    expect(await ask()).toMatchObject(unasked(60_000));
  });
});

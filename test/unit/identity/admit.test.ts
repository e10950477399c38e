import { describe, expect, test, vi } from 'vitest';
import { admitted } from '../../../functions/middleware/admit.ts';
import { Refusal } from '../../../functions/middleware/problem.ts';
import type { Limits } from '../../../shared/edge/limits.ts';
import { writtenBy } from '../../support/written.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const open: Limits = {
  message: async () => 'admitted',
  session: async () => ({ since: 17 }),
  giveBack: async () => undefined,
};
const started = async () => 'started';

describe('a message is', () => {
  test('admitted if both limits allow it, and keeps its slot if it has started a run', async () => {
    const giveBack = vi.fn(open.giveBack);
    expect(await admitted(key, { ...open, giveBack }, started)).toBe('started');
    expect(giveBack).not.toHaveBeenCalled();
  });

  test.each<[string, Partial<Limits>]>([
    ['Too many messages', { message: async () => ({ retryAfterSeconds: 7 }) }],
    ['Too many sessions', { session: async () => ({ retryAfterSeconds: 7 }) }],
  ])('refused with 429 and Retry-After: %s', async (title, closed) => {
    const start = vi.fn(started);
    const error = await admitted(key, { ...open, ...closed }, start).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: { status: 429, title }, headers: { 'retry-after': '7' } });
    expect(start).not.toHaveBeenCalled();
  });

  test('not counted as a session if its tenant has sent too many', async () => {
    const session = vi.fn(open.session);
    const message = async () => ({ retryAfterSeconds: 7 });
    await expect(admitted(key, { ...open, message, session }, started)).rejects.toThrow();
    expect(session).not.toHaveBeenCalled();
  });

  test('without a slot if it has started no run, because it was refused or is a duplicate', async () => {
    const giveBack = vi.fn(open.giveBack);
    const limits = { ...open, giveBack };
    const refused = admitted(key, limits, () => Promise.reject(new Refusal(404, 'No such session')));
    await expect(refused).rejects.toThrow('No such session');
    await admitted(key, limits, (place) => place.giveBack());
    // It may have started a run all the same.
    const failed = admitted(key, limits, () => Promise.reject(new Error('ECONNRESET')));
    await expect(failed).rejects.toThrow('ECONNRESET');
    expect(giveBack.mock.calls).toEqual([
      [key, { since: 17 }],
      [key, { since: 17 }],
    ]);
  });

  test('admitted, and the failure logged, if the limits cannot be read', async () => {
    const fail = async () => {
      throw new Error('throttled');
    };
    const lines = await writtenBy(async () => {
      const limits = { message: fail, session: fail, giveBack: fail };
      expect(await admitted(key, limits, started)).toBe('started');
    });
    const line = { level: 'WARN', message: 'a limit could not be checked; the message is admitted' };
    expect(lines).toMatchObject(
      [line, line].map((each) => ({ ...each, tenant: 'acme', detail: 'throttled' })),
    );
  });
});

import { describe, expect, test, vi } from 'vitest';
import { admit } from '../../../functions/middleware/admit.ts';
import type { Limits } from '../../../shared/aws/limits.ts';
import { writtenBy } from '../../support/written.ts';

const key = { tenant: 'acme', sessionId: 's1' };
const open: Limits = { message: async () => 'admitted', session: async () => 'admitted' };

describe('a message is', () => {
  test('let in when both limits admit it', async () => {
    await expect(admit(key, open)).resolves.toBeUndefined();
  });

  test.each<[string, Partial<Limits>]>([
    ['Too many messages', { message: async () => ({ retryAfterSeconds: 7 }) }],
    ['Too many sessions', { session: async () => ({ retryAfterSeconds: 7 }) }],
  ])('refused with 429 and Retry-After: %s', async (title, closed) => {
    const error = await admit(key, { ...open, ...closed }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: { status: 429, title }, headers: { 'retry-after': '7' } });
  });

  test('not counted as a session when its tenant has sent too many', async () => {
    const session = vi.fn(open.session);
    const message = async () => ({ retryAfterSeconds: 7 });
    await expect(admit(key, { message, session })).rejects.toThrow();
    expect(session).not.toHaveBeenCalled();
  });

  test('let in, and the log told, when the limits fail', async () => {
    const fail = async () => {
      throw new Error('throttled');
    };
    const lines = await writtenBy(() => admit(key, { message: fail, session: fail }));
    const line = { level: 'WARN', message: 'a limit could not be asked; the message is let in' };
    expect(lines).toMatchObject(
      [line, line].map((each) => ({ ...each, tenant: 'acme', detail: 'throttled' })),
    );
  });
});

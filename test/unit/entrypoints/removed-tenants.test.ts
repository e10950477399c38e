import { expect, test } from 'vitest';
import { GRAVE_MS } from '../../../shared/agent/entrypoints/graves.ts';
import { type RemovedTenants, removeTenants } from '../../../shared/agent/entrypoints/removed-tenants.ts';
import type { SessionKey } from '../../../shared/contract/session.ts';

/** Tenants whose keys were deleted, with their sessions. */
function removal(of: Readonly<Record<string, readonly string[]>>) {
  let now = 1_000_000;
  const deletedAt = now;
  const left = new Map(Object.entries(of).map(([tenant, ids]) => [tenant, new Set(ids)]));
  const log: string[] = [];
  const removed: RemovedTenants = {
    all: async () => [...left.keys()].map((tenant) => ({ tenant, deletedAt })),
    async *sessions(tenant) {
      const keys = [...(left.get(tenant) ?? [])].map((sessionId): SessionKey => ({ tenant, sessionId }));
      for (const key of keys) yield [key];
    },
    async buryUnread({ tenant, sessionId }) {
      if (sessionId === 'stuck') throw new Error('throttled');
      log.push(`bury ${tenant} ${sessionId}`);
      left.get(tenant)?.delete(sessionId);
      now += 1_000;
    },
    clear: async (tenant) => void log.push(`clear ${tenant}`),
    async finish(tenant) {
      log.push(`finish ${tenant}`);
      left.delete(tenant);
    },
  };
  const clock = { now: () => now };
  return {
    log,
    left,
    sweep: (deadlineAt?: number) => removeTenants({ clock, removed }, deadlineAt),
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
  };
}

test('all sessions are buried, and it ends when no writer is left and a whole look finds nothing', async () => {
  const { sweep, pass, log, left } = removal({ acme: ['s1', 's2'] });
  expect(await sweep()).toBe(2);
  expect(await sweep()).toBe(0);
  expect(log).toEqual(['clear acme', 'bury acme s1', 'bury acme s2', 'clear acme']);
  pass(GRAVE_MS);
  left.get('acme')?.add('late');
  expect(await sweep()).toBe(1);
  expect(left.has('acme')).toBe(true);
  await sweep();
  expect(log.at(-1)).toBe('finish acme');
  expect(left.has('acme')).toBe(false);
});

test('a sweep without time leaves the rest to the next one', async () => {
  const { sweep, left, now } = removal({ acme: ['s1', 's2', 's3'] });
  expect(await sweep(now() + 1_500)).toBe(2);
  expect([...(left.get('acme') ?? [])]).toEqual(['s3']);
  expect(await sweep(now())).toBe(0);
  expect(await sweep()).toBe(1);
});

test('a failure with one tenant does not stop the others, and is thrown', async () => {
  const { sweep, left } = removal({ acme: ['stuck'], globex: ['s1'] });
  await expect(sweep()).rejects.toThrow('throttled');
  expect(left.get('globex')?.size).toBe(0);
  expect(left.get('acme')?.size).toBe(1);
});

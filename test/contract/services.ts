import { describe, expect, test } from 'vitest';
import { servicesFor } from '../../shared/agent/tools/services.ts';
import { memoryWorld } from '../../testing/memory-world.ts';
import type { OpenStores } from './harness.ts';

/** The contract of the services of tools, on any `Blobs`. */
export function servicesContract(name: string, open: OpenStores): void {
  describe(`${name}: the texts that tools keep`, () => {
    const openServices = async () => {
      const stores = await open();
      const io = { ...memoryWorld(), blobs: stores.blobs };
      const call = { idempotencyKey: 'k', requesters: [] };
      return (tenant: string, sessionId: string, signal = new AbortController().signal) =>
        servicesFor({ ...call, tenant, sessionId }, io, signal).blobs;
    };

    test('are readable in later calls of their session, and the last one stands', async () => {
      const of = await openServices();
      await of('acme', 's1').put('plan', 'one');
      await of('acme', 's1').put('plan', 'two \ud800é');
      expect(await of('acme', 's1').get('plan')).toBe('two \ufffdé');
      expect(await of('acme', 's1').get('other')).toBeUndefined();
    });

    test('belong to no other session or tenant, whatever a name looks like', async () => {
      const of = await openServices();
      const names = ['x', '../s2/files/x', '../../umbrella/s1/files/x', '%2e%2e/s2', '..', 'a/b?c#d'];
      for (const name of names) await of('acme', 's1').put(name, `${name} of acme`);
      for (const [tenant, sessionId] of [
        ['acme', 's2'],
        ['umbrella', 's1'],
      ] as const)
        for (const name of names) expect(await of(tenant, sessionId).get(name)).toBeUndefined();
      expect(await of('acme', 's1').get('../s2/files/x')).toBe('../s2/files/x of acme');
    });

    test('must have names and sizes that the store takes, or the error says so', async () => {
      const of = await openServices();
      const blobs = of('a'.repeat(64), 's'.repeat(64));
      await blobs.put('字'.repeat(80), 'fits');
      expect(await blobs.get('字'.repeat(80))).toBe('fits');
      for (const bad of ['', 'n'.repeat(81)])
        await expect(blobs.put(bad, 'x')).rejects.toThrow('1 to 80 characters');
      await expect(blobs.put('big', 'é'.repeat(2_500_001))).rejects.toThrow('more than 5000000 bytes');
    });

    test('are not touched by a call that is over', async () => {
      const of = await openServices();
      const over = new AbortController();
      const late = of('acme', 's1', over.signal);
      await late.put('a', 'in time');
      over.abort(new Error('the tool took too long'));
      await expect(late.put('a', 'late')).rejects.toThrow('took too long');
      expect(await of('acme', 's1').get('a')).toBe('in time');
    });
  });
}

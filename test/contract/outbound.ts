import { beforeEach, describe, expect, test } from 'vitest';
import { newDestination, type OutboundStore } from '../../shared/agent/outbound/destination.ts';
import { key, leaseMs, now, oddText } from './harness.ts';

/** The contract of `OutboundStore`. */
export function outboundContract(name: string, open: () => Promise<OutboundStore>): void {
  describe(`${name}: outbound`, () => {
    let store: OutboundStore;
    beforeEach(async () => {
      store = await open();
    });

    const callback = newDestination('callback', 'callback', { url: `https://example.com/${oddText}` }, 7);
    const claim = (owner: string, at = now) => store.claim(key, 'callback', owner, leaseMs, at);
    async function claimed(owner: string, at = now) {
      const result = await claim(owner, at);
      if (result.kind !== 'claimed') throw new Error(`not claimed but ${result.kind}`);
      return result.destination;
    }

    test('a destination is kept as it was given, and the first one stays', async () => {
      expect(await store.put(key, callback)).toBe('put');
      expect(await store.put(key, newDestination('callback', 'slack', {}))).toBe('exists');
      expect(await store.list(key)).toEqual([callback]);
    });

    test('each session has its own, by name', async () => {
      await store.put(key, callback);
      await store.put(key, newDestination('a', 'slack', null));
      expect((await store.list(key)).map((one) => one.name)).toEqual(['a', 'callback']);
      expect(await store.list({ ...key, sessionId: 's2' })).toEqual([]);
      expect(await store.list({ ...key, tenant: 'other' })).toEqual([]);
    });

    test('there is one owner at a time: another process knocks, and the owner may claim again', async () => {
      await store.put(key, callback);
      expect(await claimed('a')).toEqual(callback);
      expect(await claim('b')).toEqual({ kind: 'held' });
      expect(await claimed('a')).toEqual({ ...callback, knocks: 1 });
      expect(await store.claim(key, 'none', 'a', leaseMs, now)).toEqual({ kind: 'unknown' });
    });

    test('one that waits or is disabled may be tried at once, and keeps everything else', async () => {
      expect(await store.hurry(key, 'callback')).toBe('unknown');
      await store.put(key, callback);
      await claimed('a');
      const patch = { state: 'disabled', attempts: 3, nextAt: 5, hopAt: 6, cursor: 9 } as const;
      await store.release(key, 'callback', 'a', 0, patch);
      expect(await store.hurry(key, 'callback')).toBe('hurried');
      const hurried = { ...callback, attempts: 3, cursor: 9 };
      expect(await store.list(key)).toEqual([hurried]);
      expect(await claimed('b')).toEqual(hurried);
      expect(await store.hurry(key, 'callback')).toBe('hurried');
      expect(await claim('c')).toEqual({ kind: 'held' });
    });

    test('progress is kept as far as it is given, and shown to the next owner', async () => {
      await store.put(key, callback);
      await claimed('a');
      expect(await store.advance(key, 'callback', 'a', { cursor: 9, memory: { ts: oddText } })).toBe(
        'advanced',
      );
      expect(await store.advance(key, 'callback', 'a', {})).toBe('advanced');
      const patch = { state: 'given_up', attempts: 3, nextAt: 5, hopAt: 6 } as const;
      expect(await store.release(key, 'callback', 'a', 0, patch)).toEqual({ kind: 'released' });
      expect(await claimed('b')).toEqual({ ...callback, cursor: 9, memory: { ts: oddText }, ...patch });
    });

    test('an owner that was knocked for cannot release before it has looked again', async () => {
      await store.put(key, callback);
      await claimed('a');
      await claim('b');
      expect(await store.release(key, 'callback', 'a', 0, { cursor: 9 })).toEqual({
        kind: 'knocked',
        knocks: 1,
      });
      expect(await store.list(key)).toEqual([{ ...callback, knocks: 1 }]);
      expect(await store.release(key, 'callback', 'a', 1, { cursor: 9 })).toEqual({ kind: 'released' });
    });

    test('after its lease an owner holds on until it is replaced; then it can change nothing', async () => {
      await store.put(key, callback);
      await claimed('a');
      expect(await store.advance(key, 'callback', 'a', { cursor: 8 })).toBe('advanced');
      await claimed('b', now + leaseMs);
      expect(await store.advance(key, 'callback', 'a', { cursor: 9 })).toBe('lost');
      expect(await store.release(key, 'callback', 'a', 0, { cursor: 9 })).toEqual({ kind: 'lost' });
      expect(await store.list(key)).toEqual([{ ...callback, cursor: 8 }]);
    });

    test('an owner that has released holds nothing', async () => {
      await store.put(key, callback);
      await claimed('a');
      await store.release(key, 'callback', 'a', 0);
      expect(await store.advance(key, 'callback', 'a', { cursor: 9 })).toBe('lost');
      expect(await store.release(key, 'callback', 'a', 0)).toEqual({ kind: 'lost' });
      await claimed('b');
    });

    test('of many claims at once, one succeeds and notices all others', async () => {
      await store.put(key, callback);
      const all = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(owner)));
      expect(all.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
      expect(all.filter(({ kind }) => kind === 'held')).toHaveLength(3);
      expect(await store.list(key)).toEqual([{ ...callback, knocks: 3 }]);
    });
  });
}

import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { CONNECTION_MS, type Connections } from '../../shared/edge/connections.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };

/** The contract of `Connections`. */
export function connectionsContract(name: string, open: (clock: Clock) => Promise<Connections>): void {
  describe(`${name}: connections`, () => {
    let clock: VirtualClock;
    let connections: Connections;
    beforeEach(async () => {
      clock = virtualClock();
      connections = await open(clock);
    });

    test('a connection keeps everything about its caller: when the credential expires, and a key’s scopes', async () => {
      const soon: Identity = { ...ada, expiresAt: clock.now() + 10_000 };
      const clerk: Identity = { tenant: 'acme', subject: 'key:acme.1', kind: 'key', scopes: ['decide'] };
      await connections.open('c1', soon);
      await connections.open('c2', clerk);
      await clock.advance(10_000);
      // Still known, so that a caller that acts over it is told why it is refused.
      expect(await connections.callerOf('c1')).toEqual(soon);
      expect(await connections.callerOf('c2')).toEqual(clerk);
    });

    test('a connection belongs to its tenant until it closes', async () => {
      const key: Identity = { tenant: 'acme', subject: 'key:acme.1', kind: 'key' };
      await connections.open('c1', ada);
      await connections.open('c3', key);
      expect(await connections.callerOf('c1')).toEqual(ada);
      expect(await connections.callerOf('c3')).toEqual(key);
      expect(await connections.callerOf('c2')).toBeUndefined();
      expect(await connections.close('c1')).toEqual([]);
      expect(await connections.callerOf('c1')).toBeUndefined();
    });

    test('a connection is unknown after the 2 hours that API Gateway allows', async () => {
      await connections.open('c1', ada);
      await clock.advance(CONNECTION_MS - 1);
      expect(await connections.callerOf('c1')).toEqual(ada);
      await clock.advance(1);
      expect(await connections.callerOf('c1')).toBeUndefined();
    });

    test('connections that are unknown, closed or too old are gone', async () => {
      await connections.open('old', ada);
      await clock.advance(CONNECTION_MS - 1);
      for (const id of ['c1', 'c2']) await connections.open(id, ada);
      expect(await connections.gone(['c1', 'old', 'c2', 'never'])).toEqual(['never']);
      await connections.close('c2');
      await clock.advance(1);
      expect(await connections.gone(['c1', 'old', 'c2', 'never'])).toEqual(['old', 'c2', 'never']);
      expect(await connections.gone([])).toEqual([]);
    });

    test('closing returns the sessions that it was subscribed to, once', async () => {
      await connections.open('c1', ada);
      for (const sessionId of ['s2', 's1', 's2']) {
        expect(await connections.remember('c1', { tenant: 'acme', sessionId })).toBe('remembered');
      }
      expect(await connections.close('c1')).toEqual([
        { tenant: 'acme', sessionId: 's1' },
        { tenant: 'acme', sessionId: 's2' },
      ]);
      expect(await connections.close('c1')).toEqual([]);
    });

    test('a closed connection, or another tenant’s, cannot be changed', async () => {
      expect(await connections.remember('c1', { tenant: 'acme', sessionId: 's1' })).toBe('closed');
      await connections.open('c1', ada);
      expect(await connections.remember('c1', { tenant: 'globex', sessionId: 's1' })).toBe('closed');
      expect(await connections.close('c1')).toEqual([]);
      expect(await connections.callerOf('c1')).toBeUndefined();
    });
  });
}

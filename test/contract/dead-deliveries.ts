import { beforeEach, describe, expect, test } from 'vitest';
import type { DeadDeliveries, DeadDelivery } from '../../shared/edge/dead-deliveries.ts';

/** The contract of `DeadDeliveries`. */
export function deadDeliveriesContract(name: string, open: () => Promise<DeadDeliveries>): void {
  describe(`${name}: dead deliveries`, () => {
    let dead: DeadDeliveries;
    beforeEach(async () => {
      dead = await open();
    });
    const one = (id: string, at = 5, over: Partial<DeadDelivery> = {}): DeadDelivery => ({
      tenant: 'acme',
      id,
      source: 'github',
      name: 'issues',
      deliveryId: `d ${id}`,
      eventId: `github-${id}`,
      at,
      reason: 'mapping_threw',
      detail: 'It threw.',
      bytes: 2,
      ...over,
    });
    const body = { text: '{"é":"\ud83d\ude00"}', contentType: 'application/json' };

    test('are listed in order of arrival, each in its tenant, and read with their content', async () => {
      await dead.bury(one('b', 7), body);
      await dead.bury(one('a', 9), body);
      await dead.bury(one('c', 7), body);
      await dead.bury(one('other', 1, { tenant: 'birch' }), body);
      expect(await dead.list('acme')).toEqual([one('b', 7), one('c', 7), one('a', 9)]);
      expect(await dead.read('acme', 'a')).toEqual({ dead: one('a', 9), body });
      expect(await dead.read('acme', 'other')).toBeUndefined();
      expect(await dead.list('nobody')).toEqual([]);
    });

    test('that arrive again are one, and the first stays', async () => {
      await dead.bury(one('a'), body);
      await dead.bury(one('a', 9), { ...body, text: 'other' });
      expect(await dead.list('acme')).toEqual([one('a')]);
      expect(await dead.read('acme', 'a')).toMatchObject({ body });
    });

    test('may be as large as an invocation’s event', async () => {
      const large = { ...body, text: '"é'.repeat(2_000_000) };
      await dead.bury(one('a'), large);
      expect((await dead.read('acme', 'a'))?.body).toEqual(large);
    });

    test('say why they failed again', async () => {
      await dead.bury(one('a'), body);
      const why = { reason: 'unknown_agent', detail: 'No agent is called "x".' } as const;
      await dead.failedAgain('acme', 'a', why);
      expect(await dead.list('acme')).toEqual([one('a', 5, why)]);
      await dead.failedAgain('acme', 'missing', why);
      expect(await dead.list('acme')).toHaveLength(1);
    });

    test('that were redelivered are gone, and a sender’s retry does not bring them back', async () => {
      await dead.bury(one('a'), body);
      await dead.settle('acme', 'a');
      await dead.settle('acme', 'a');
      await dead.settle('acme', 'missing');
      await dead.bury(one('a'), body);
      expect(await dead.list('acme')).toEqual([]);
      expect(await dead.read('acme', 'a')).toBeUndefined();
    });
  });
}

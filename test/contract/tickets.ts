import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { TICKET_MS, type Tickets } from '../../shared/edge/tickets.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };

/** The contract of `Tickets`. */
export function ticketsContract(name: string, open: (clock: Clock) => Promise<Tickets>): void {
  describe(`${name}: tickets`, () => {
    let clock: VirtualClock;
    let tickets: Tickets;
    beforeEach(async () => {
      clock = virtualClock();
      tickets = await open(clock);
    });

    test('a ticket is accepted once', async () => {
      const { ticket, expiresAt } = await tickets.issue(ada);
      expect(expiresAt).toBe(clock.now() + TICKET_MS);
      expect(await tickets.redeem(ticket)).toEqual(ada);
      expect(await tickets.redeem(ticket)).toBeUndefined();
    });

    test('if many redeem a ticket at once, one succeeds', async () => {
      const { ticket } = await tickets.issue(ada);
      const callers = await Promise.all([1, 2, 3, 4, 5].map(() => tickets.redeem(ticket)));
      expect(callers.filter(Boolean)).toEqual([ada]);
    });

    test('a ticket is valid for a minute', async () => {
      const { ticket } = await tickets.issue(ada);
      const { ticket: late } = await tickets.issue(ada);
      await clock.advance(TICKET_MS - 1);
      expect(await tickets.redeem(ticket)).toEqual(ada);
      await clock.advance(1);
      expect(await tickets.redeem(late)).toBeUndefined();
    });

    test('tickets differ, and an invented one is invalid', async () => {
      const one = await tickets.issue(ada);
      const two = await tickets.issue(ada);
      expect(one.ticket).not.toBe(two.ticket);
      expect(await tickets.redeem('made-up')).toBeUndefined();
      expect(await tickets.redeem('')).toBeUndefined();
    });

    test('a ticket knows when its credential expires, and is not valid for longer', async () => {
      const soon: Identity = { ...ada, expiresAt: clock.now() + 10_000 };
      const { ticket, expiresAt } = await tickets.issue(soon);
      expect(expiresAt).toBe(clock.now() + 10_000);
      expect(await tickets.redeem(ticket)).toEqual(soon);
      const { ticket: late } = await tickets.issue(soon);
      await clock.advance(10_000);
      expect(await tickets.redeem(late)).toBeUndefined();
    });

    test('a ticket carries a key’s scopes', async () => {
      const clerk: Identity = { tenant: 'acme', subject: 'key:acme.1', kind: 'key', scopes: ['decide'] };
      const { ticket } = await tickets.issue(clerk);
      expect(await tickets.redeem(ticket)).toEqual(clerk);
    });
  });
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, createConnections } from '../../shared/aws/connections.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import { type VirtualClock, virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';

const ada: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };

describe('aws connections', () => {
  let aws: EmbeddedAws;
  let clock: VirtualClock;
  let connections: Connections;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());
  beforeEach(async () => {
    clock = virtualClock();
    connections = createConnections(createDynamo(aws.clients.dynamo(), await aws.createTable()), clock);
  });

  test('a ticket opens the door once', async () => {
    const { ticket, expiresAt } = await connections.issueTicket(ada);
    expect(expiresAt).toBe(clock.now() + 60_000);
    expect(await connections.redeemTicket(ticket)).toEqual(ada);
    expect(await connections.redeemTicket(ticket)).toBeUndefined();
  });

  test('of many that redeem a ticket at once, one gets in', async () => {
    const { ticket } = await connections.issueTicket(ada);
    const callers = await Promise.all([1, 2, 3, 4, 5].map(() => connections.redeemTicket(ticket)));
    expect(callers.filter(Boolean)).toEqual([ada]);
  });

  test('a ticket is good for a minute, though its item is still there', async () => {
    const { ticket } = await connections.issueTicket(ada);
    const { ticket: late } = await connections.issueTicket(ada);
    await clock.advance(59_999);
    expect(await connections.redeemTicket(ticket)).toEqual(ada);
    await clock.advance(1);
    expect(await connections.redeemTicket(late)).toBeUndefined();
  });

  test('tickets differ, and a made-up one is no good', async () => {
    const one = await connections.issueTicket(ada);
    const two = await connections.issueTicket(ada);
    expect(one.ticket).not.toBe(two.ticket);
    expect(await connections.redeemTicket('made-up')).toBeUndefined();
    expect(await connections.redeemTicket('')).toBeUndefined();
  });

  test('a ticket and a connection know until when their credential is good; the ticket is not good for longer', async () => {
    const soon: Identity = { ...ada, expiresAt: clock.now() + 10_000 };
    const { ticket, expiresAt } = await connections.issueTicket(soon);
    expect(expiresAt).toBe(clock.now() + 10_000);
    expect(await connections.redeemTicket(ticket)).toEqual(soon);
    await connections.open('c1', soon);
    expect(await connections.callerOf('c1')).toEqual(soon);
    const { ticket: late } = await connections.issueTicket(soon);
    await clock.advance(10_000);
    expect(await connections.redeemTicket(late)).toBeUndefined();
    // Still known: who acts over it is told why not.
    expect(await connections.callerOf('c1')).toEqual(soon);
  });

  test('a key’s scopes travel with its ticket and its connection', async () => {
    const clerk: Identity = { tenant: 'acme', subject: 'key:acme.1', kind: 'key', scopes: ['decide'] };
    const { ticket } = await connections.issueTicket(clerk);
    expect(await connections.redeemTicket(ticket)).toEqual(clerk);
    await connections.open('c1', clerk);
    expect(await connections.callerOf('c1')).toEqual(clerk);
  });

  test('a connection is its tenant’s until it closes', async () => {
    const key: Identity = { tenant: 'acme', subject: 'key:acme.1', kind: 'key' };
    await connections.open('c1', ada);
    await connections.open('c3', key);
    expect(await connections.callerOf('c1')).toEqual(ada);
    expect(await connections.callerOf('c3')).toEqual(key);
    expect(await connections.callerOf('c2')).toBeUndefined();
    expect(await connections.close('c1')).toEqual([]);
    expect(await connections.callerOf('c1')).toBeUndefined();
  });

  test('a connection is nobody’s after the 2 hours that API Gateway lets it be', async () => {
    await connections.open('c1', ada);
    await clock.advance(2 * 3600_000 - 1);
    expect(await connections.callerOf('c1')).toEqual(ada);
    await clock.advance(1);
    expect(await connections.callerOf('c1')).toBeUndefined();
  });

  test('those are gone that nobody knows, that were closed, and that are too old', async () => {
    await connections.open('old', ada);
    await clock.advance(2 * 3600_000 - 1);
    for (const id of ['c1', 'c2']) await connections.open(id, ada);
    expect(await connections.gone(['c1', 'old', 'c2', 'never'])).toEqual(['never']);
    await connections.close('c2');
    await clock.advance(1);
    expect(await connections.gone(['c1', 'old', 'c2', 'never'])).toEqual(['old', 'c2', 'never']);
    expect(await connections.gone([])).toEqual([]);
  });

  test('closing tells the sessions it was subscribed to, once', async () => {
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

  test('a closed connection, or another tenant’s, remembers nothing', async () => {
    expect(await connections.remember('c1', { tenant: 'acme', sessionId: 's1' })).toBe('closed');
    await connections.open('c1', ada);
    expect(await connections.remember('c1', { tenant: 'globex', sessionId: 's1' })).toBe('closed');
    expect(await connections.close('c1')).toEqual([]);
    expect(await connections.callerOf('c1')).toBeUndefined();
  });
});

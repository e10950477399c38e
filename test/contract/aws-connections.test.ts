import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, createConnections } from '../../shared/aws/connections.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

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
    const { ticket, expiresAt } = await connections.issueTicket('acme');
    expect(expiresAt).toBe(clock.now() + 60_000);
    expect(await connections.redeemTicket(ticket)).toBe('acme');
    expect(await connections.redeemTicket(ticket)).toBeUndefined();
  });

  test('of many that redeem a ticket at once, one gets in', async () => {
    const { ticket } = await connections.issueTicket('acme');
    const tenants = await Promise.all([1, 2, 3, 4, 5].map(() => connections.redeemTicket(ticket)));
    expect(tenants.filter(Boolean)).toEqual(['acme']);
  });

  test('a ticket is good for a minute, though its item is still there', async () => {
    const { ticket } = await connections.issueTicket('acme');
    const { ticket: late } = await connections.issueTicket('acme');
    await clock.advance(59_999);
    expect(await connections.redeemTicket(ticket)).toBe('acme');
    await clock.advance(1);
    expect(await connections.redeemTicket(late)).toBeUndefined();
  });

  test('tickets differ, and a made-up one is no good', async () => {
    const one = await connections.issueTicket('acme');
    const two = await connections.issueTicket('acme');
    expect(one.ticket).not.toBe(two.ticket);
    expect(await connections.redeemTicket('made-up')).toBeUndefined();
    expect(await connections.redeemTicket('')).toBeUndefined();
  });

  test('a connection is its tenant’s until it closes', async () => {
    await connections.open('c1', 'acme');
    expect(await connections.tenantOf('c1')).toBe('acme');
    expect(await connections.tenantOf('c2')).toBeUndefined();
    expect(await connections.close('c1')).toEqual([]);
    expect(await connections.tenantOf('c1')).toBeUndefined();
  });

  test('closing tells the sessions it was subscribed to, once', async () => {
    await connections.open('c1', 'acme');
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
    await connections.open('c1', 'acme');
    expect(await connections.remember('c1', { tenant: 'globex', sessionId: 's1' })).toBe('closed');
    expect(await connections.close('c1')).toEqual([]);
    expect(await connections.tenantOf('c1')).toBeUndefined();
  });
});

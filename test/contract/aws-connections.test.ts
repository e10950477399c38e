import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConnections } from '../../shared/aws/connections.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createTickets } from '../../shared/aws/tickets.ts';
import { virtualClock } from '../../testing/clock.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { connectionsContract } from './connections.ts';
import { ticketsContract } from './tickets.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

const openTable = async () => createDynamo(aws.clients.dynamo(), await aws.createTable());
ticketsContract('aws', async (clock) => createTickets(await openTable(), clock));
connectionsContract('aws', async (clock) => createConnections(await openTable(), clock));

test('aws: only the hash of a ticket is stored, and nothing that would grant access', async () => {
  const tableName = await aws.createTable();
  const tickets = createTickets(createDynamo(aws.clients.dynamo(), tableName), virtualClock());
  const { ticket } = await tickets.issue({ tenant: 'acme', subject: 'user:ada', kind: 'jwt' });
  const { Items } = await aws.clients.dynamo().send(new ScanCommand({ TableName: tableName }));
  expect(Items).toHaveLength(1);
  expect(JSON.stringify(Items)).not.toContain(ticket);
});

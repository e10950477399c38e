import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Amount } from '../../shared/agent/budgets/amount.ts';
import type { BudgetStore } from '../../shared/agent/budgets/store.ts';
import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import type { LaterAnswers } from '../../shared/agent/ports/callbacks.ts';
import { createBlobs } from '../../shared/aws/blobs.ts';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createBudgets } from '../../shared/aws/budgets.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { createInbox } from '../../shared/aws/inbox.ts';
import { openLater } from '../../shared/aws/later.ts';
import { budgetLimitsKey } from '../../shared/aws/layout.ts';
import { createLog } from '../../shared/aws/log.ts';
import { createSessions } from '../../shared/aws/sessions.ts';
import type { EmbeddedAws } from '../support/embedded-aws.ts';
import { now, type Stores } from './harness.ts';

export interface AwsStores extends Stores {
  readonly tableName: string;
  /** The same stores over another client. */
  over(client: DynamoDBClient): Stores;
}

/** Late answers on this table, at the test's time. */
export function openAwsLater(aws: EmbeddedAws, client: DynamoDBClient, table: string): LaterAnswers {
  const bodies = createBodies(createBlobs(aws.clients.s3(), aws.bucket));
  return openLater('https://api.test', {
    dynamo: createDynamo(client, table),
    bodies,
    clock: { now: () => now },
  });
}

/** Stores on a new table, at the test's time. */
export async function openAwsStores(aws: EmbeddedAws): Promise<AwsStores> {
  const tableName = await aws.createTable();
  const blobs = createBlobs(aws.clients.s3(), aws.bucket);
  const over = (client: DynamoDBClient) => storesOn(blobs, createDynamo(client, tableName));
  return { ...over(aws.clients.dynamo()), tableName, over };
}

/** Stores on any table, at the test's time. */
export function storesOn(blobs: Blobs, dynamo: Dynamo): Stores {
  let next: (() => Promise<void>) | undefined;
  const clock = { now: () => now };
  const items = { dynamo, bodies: createBodies(blobs), clock };
  // The first update that `accept` makes tells the session.
  const interrupted: Dynamo = {
    ...dynamo,
    async update(update) {
      const act = next;
      next = undefined;
      await act?.();
      return dynamo.update(update);
    },
  };
  return {
    sessions: createSessions(items),
    inbox: createInbox({ ...items, dynamo: interrupted }),
    log: createLog(items),
    blobs,
    duringNextAccept(act) {
      next = act;
    },
  };
}

/** The store of budgets on a new table, with these limits set by tenants. */
export async function openAwsBudgets(
  aws: EmbeddedAws,
  limits: Readonly<Record<string, Partial<Amount>>> = {},
): Promise<BudgetStore & { over(client: DynamoDBClient): BudgetStore }> {
  const table = await aws.createTable();
  const clock = { now: () => now };
  const dynamo = createDynamo(aws.clients.dynamo(), table);
  const over = (client: DynamoDBClient) => createBudgets({ dynamo: createDynamo(client, table), clock });
  for (const [tenant, { tokens, microUsd, steps }] of Object.entries(limits)) {
    const usdPerDay = microUsd === undefined ? undefined : microUsd / 1e6;
    await dynamo.put({ ...budgetLimitsKey(tenant), tokensPerDay: tokens, usdPerDay, stepsPerDay: steps });
  }
  return { ...createBudgets({ dynamo, clock }), over };
}

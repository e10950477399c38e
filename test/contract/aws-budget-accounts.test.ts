import { afterAll, beforeAll, expect, test } from 'vitest';
import { nothing } from '../../shared/agent/budgets/amount.ts';
import { dayOf, tenantBudgets } from '../../shared/agent/budgets/tenant-budgets.ts';
import { createBudgetAccounts } from '../../shared/aws/budget-accounts.ts';
import { createBudgets } from '../../shared/aws/budgets.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { budgetLimitsKey } from '../../shared/aws/layout.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';
import { now } from './harness.ts';
import { reserved } from './tenant-budgets.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

const today = dayOf(now);
const unused = { tokens: 0, usd: 0, steps: 0 };
const tokens = (n: number) => ({ ...nothing, tokens: n });

async function open() {
  const items = {
    dynamo: createDynamo(aws.clients.dynamo(), await aws.createTable()),
    clock: { now: () => now },
  };
  const budgets = tenantBudgets(tokens(1_000), createBudgets(items), { now: () => now });
  return { ...items, budgets, accounts: createBudgetAccounts(items) };
}

test('aws: new limits replace the earlier ones for the steps that follow', async () => {
  const { accounts, budgets } = await open();
  await accounts.set('acme', { tokensPerDay: 100, usdPerDay: 2.5 });
  expect(await accounts.own('acme')).toEqual({ tokensPerDay: 100, usdPerDay: 2.5 });
  expect(await budgets.reserve({ tenant: 'acme', sessionId: 's' }, 1, tokens(101))).toMatchObject({
    kind: 'exceeded',
    limit: 100,
  });
  // Other tenants are unaffected.
  await reserved(budgets, 's', 1, tokens(1));
  expect(await budgets.reserve({ tenant: 'globex', sessionId: 's' }, 1, tokens(999))).toMatchObject({
    kind: 'reserved',
  });
  await accounts.set('acme', {});
  expect(await accounts.own('acme')).toEqual({});
  await reserved(budgets, 's', 2, tokens(900));
});

test('aws: usage is what was settled plus what is reserved, over all shards', async () => {
  const { accounts, budgets } = await open();
  expect(await accounts.used('acme', today)).toEqual(unused);
  for (const [n, sessionId] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    const reservation = await reserved(budgets, sessionId, 1, tokens(100));
    await budgets.settle(reservation, { tokens: 10 + n, microUsd: 7, steps: 1 });
  }
  expect(await accounts.used('acme', today)).toEqual({ tokens: 60, usd: 0.000035, steps: 5 });
  // More than any single shard has left, so other shards give some back.
  await reserved(budgets, 'f', 1, tokens(900));
  expect(await accounts.used('acme', today)).toEqual({ tokens: 960, usd: 0.000035, steps: 5 });
  expect(await accounts.used('globex', today)).toEqual(unused);
});

test('aws: limits that were written by hand and make no sense are reported', async () => {
  const { accounts, dynamo } = await open();
  await dynamo.put({ ...budgetLimitsKey('acme'), tokensPerMonth: 5 }, []);
  await expect(accounts.own('acme')).rejects.toThrow('limits of tenant acme');
});

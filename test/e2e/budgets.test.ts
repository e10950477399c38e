/** A tenant's budget over the API: steps are held to the limits that are set, and their usage is reported. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let world: Embedded;

beforeAll(async () => {
  model = await ruleModel(() => sayText('Done.'));
  world = await embedded({ model, variables: { TENANT_STEPS_PER_DAY: '1000' } });
}, 120_000);
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

test('a run is counted, a new limit ends the next one, and a higher limit lets it continue', async () => {
  const before = await world.api('GET', '/budgets');
  const limits = { tokensPerDay: 0, usdPerDay: 0, stepsPerDay: 1000 };
  expect(before.body).toMatchObject({ tenant: 'default', limits, own: {}, used: { steps: 0 } });
  expect(Date.parse(before.body.resetsAt) - Date.parse(before.body.day)).toBe(24 * 3_600_000);

  expect(await world.atRest(await world.start('one'))).toMatchObject({ state: 'completed' });
  const { used } = (await world.api('GET', '/budgets')).body;
  expect(used.steps).toBe(1);
  expect(used.tokens).toBeGreaterThan(0);

  const set = await world.api('PUT', '/budgets', { stepsPerDay: 1, usdPerDay: 40 });
  expect(set.body).toMatchObject({ limits: { ...limits, stepsPerDay: 1, usdPerDay: 40 } });
  expect(set.body.own).toEqual({ stepsPerDay: 1, usdPerDay: 40 });
  // A session of the same shard may use what that shard has already drawn. A session of another shard finds nothing.
  let refused: string | undefined;
  for (let n = 0; !refused && n < 40; n += 1) {
    const id = await world.start(`again ${n}`);
    if ((await world.atRest(id)).reason === 'tenant_budget') refused = id;
  }
  expect(refused).toBeDefined();

  await world.api('PUT', '/budgets', {});
  const { status } = await world.api('POST', `/sessions/${refused}/messages`, { message: 'and now?' });
  expect(status).toBe(202);
  expect(await world.atRest(refused ?? '')).toMatchObject({ state: 'completed' });
}, 120_000);

test('an invalid limit is refused, and changes nothing', async () => {
  for (const body of [{ stepsPerDay: -1 }, { tokensPerDay: 1.5 }, { usdPerMonth: 3 }, { usdPerDay: '5' }, []])
    expect(await world.api('PUT', '/budgets', body)).toMatchObject({
      status: 400,
      body: { title: 'Invalid body' },
    });
  expect((await world.api('GET', '/budgets')).body.own).toEqual({});
});

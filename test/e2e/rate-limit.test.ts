import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { apiError, type Step } from '../support/model-server.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';
import { custom } from '../unit/step/reading.fixture.ts';

test('a model that has refused one session is not called by the next one either, without a read or a write for that before', async () => {
  const signs: string[] = [];
  const refusal: Step = apiError(429, 'rate_limit_error', 'slowly', { 'retry-after': '8' });
  await using model = await ruleModel(({ n }) => (n === 2 ? refusal : sayText('Hello.')));
  await using world = await embedded({
    model,
    wire: {
      before({ operation, body }) {
        if (body.includes('"_sign#')) signs.push(operation);
      },
    },
  });
  const retriesOf = async (id: string) => custom(await world.events(id), 'steploop.retry');
  const told = async (id: string) => {
    while ((await retriesOf(id)).length === 0) await pause(100);
  };

  expect(await world.atRest(await world.start('Hi.'))).toMatchObject({ state: 'completed' });
  expect(signs).toEqual([]);

  const refused = await world.start('Hi.');
  await told(refused);
  expect(signs).toEqual(['GetItem', 'PutItem']);
  // Its environment is free again.
  await pause(500);
  const heldBack = await world.start('Hi.');
  await told(heldBack);
  expect(model.asked).toHaveLength(2);

  for (const id of [refused, heldBack]) expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
  expect(await retriesOf(refused)).toMatchObject([{ code: 'rate_limit_error', retry: 1 }]);
  expect(await retriesOf(heldBack)).toMatchObject([
    { code: 'rate_limit_error', retry: 0, message: expect.stringContaining('was not asked') },
  ]);
  expect(model.asked).toHaveLength(4);
});

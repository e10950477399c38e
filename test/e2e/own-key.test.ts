import { expect, inject, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('the template of a deployment with a key of its own runs here whole: steps, queued calls, large results', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn === 0 ? callTools(['look', { n: 1 }]) : sayText('All is read.'),
  );
  await using world = await embedded({
    model,
    assembly: inject('assemblies').ownKey,
    tools: () => 'A line of what was found there. '.repeat(20_000),
  });
  const id = await world.start('Read it.');
  expect(await world.atRest(id)).toMatchObject({ state: 'completed' });
  expect(JSON.stringify(await world.messages(id))).toContain('All is read.');
});

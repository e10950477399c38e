import { expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('a skill is in the bundle, is stored with the first step even if that dies, and is read from the bucket', async () => {
  let world: Embedded | undefined;
  let asked = 0;
  await using model = await ruleModel(({ turn }) => {
    asked += 1;
    // The skills are stored by then, and the reply is not.
    if (asked === 1) world?.stack.kill('AgentsStepsStep');
    if (turn === 0) return callTools(['skill', { name: 'house-rules' }]);
    if (turn === 1) return callTools(['skill', { name: 'house-rules', path: 'references/exceptions.md' }]);
    return sayText('Done.');
  });
  await using running = await embedded({ model, leaseSeconds: 3 });
  world = running;
  const { body } = await running.api('POST', '/sessions', { agent: 'reader', message: 'Decide.' });
  await running.becomes(body.sessionId, 'completed', 90);

  expect(JSON.stringify(model.asked[0]?.body.system)).toContain('- house-rules: The rules of the house.');
  expect(
    new Set(model.asked.map(({ body: { system, tools } }) => JSON.stringify([system, tools]))).size,
  ).toBe(1);
  const results = (await running.messages(body.sessionId)).flatMap((message) =>
    message.role === 'tool' ? [message.content] : [],
  );
  expect(results).toEqual([
    expect.stringMatching(/^\[skill house-rules, version [0-9a-f]{12}\]\n\n# The rules\n/),
    'On Sundays there are none.\n',
  ]);
  const read = (await running.events(body.sessionId)).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.skill' ? [event.value] : [],
  );
  expect(read).toMatchObject([
    { skill: 'house-rules' },
    { skill: 'house-rules', path: 'references/exceptions.md' },
  ]);
});

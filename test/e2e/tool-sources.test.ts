import { expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

test('a server’s tools are listed when a session begins, again if the worker dies during it, but not if its reply was kept; then they run, in the step and from the queue', async () => {
  let world: Embedded | undefined;
  let lists = 0;
  let looks = 0;
  await using model = await ruleModel(({ turn }) => {
    if (turn > 0) return sayText('Done.');
    return callTools(['shop__look', { n: 1 }], ['shop__haul', { n: 2 }], ['shop__look', { n: 'x' }]);
  });
  await using running = await embedded({
    model,
    leaseSeconds: 3,
    tools: ({ name }) => {
      if (name === 'list') {
        lists += 1;
        if (lists === 1) world?.stack.kill('AgentsStepsStep');
        return [
          { name: 'look', description: `Looks, as told at ${lists}.`, input, effect: 'read' },
          { name: 'haul', description: 'Hauls.', input, effect: 'idempotent', where: 'queue' },
        ];
      }
      // The reply was kept by then.
      if (name === 'look' && ++looks === 1) world?.stack.kill('AgentsStepsStep');
      return { done: name };
    },
  });
  world = running;
  const { body } = await running.api('POST', '/sessions', { agent: 'shopper', message: 'Shop.' });
  await running.becomes(body.sessionId, 'completed', 90);

  expect(lists).toBe(2);
  expect(model.asked.map(({ body: { tools } }) => tools)).toEqual(
    Array.from({ length: 2 }, () => [
      expect.objectContaining({
        name: 'shop__look',
        description: 'Looks, as told at 2.',
        input_schema: input,
      }),
      expect.objectContaining({ name: 'shop__haul' }),
    ]),
  );
  const results = (await running.messages(body.sessionId)).flatMap((message) =>
    message.role === 'tool' ? [message.content] : [],
  );
  expect(results).toEqual([
    '{"done":"look"}',
    '{"done":"haul"}',
    expect.stringContaining('Error [invalid_arguments]'),
  ]);
  expect(running.toolStarts.map(({ name }) => name).sort()).toEqual(['haul', 'list', 'list', 'look', 'look']);
});

import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('a message over HTTP leads through a tool step to an answer', async () => {
  await using model = await ruleModel(({ turn }) =>
    turn === 0 ? callTools(['look', { n: 1 }]) : sayText('It is ', 'done.'),
  );
  await using world = await embedded({ model });

  const id = await world.start('Do it.');
  const session = await world.atRest(id);

  expect(session).toMatchObject({ state: 'completed', reason: 'completed', run: { steps: 2, toolCalls: 1 } });
  expect(await world.messages(id)).toMatchObject([
    { role: 'user', content: 'Do it.' },
    { role: 'assistant', content: 'On it. ' },
    { role: 'tool', content: '{"ok":true}' },
    { role: 'assistant', content: 'It is done.' },
  ]);
});

test('the description of the API is public', async () => {
  await using model = await ruleModel(() => sayText('Hello.'));
  await using world = await embedded({ model });

  const { status, body } = await world.api('GET', '/openapi.json', undefined, { authorization: '' });

  expect(status).toBe(200);
  expect(body.paths['/sessions'].post.responses['201']).toBeDefined();
});

/** The stack that plain files of a process share (test/support/shared-engine.ts). */

import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { hang } from '../support/model-server.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

test('a test finds nothing of an earlier one, also if that has not ended', async () => {
  await using hanging = await ruleModel(() => hang());
  await using model = await ruleModel(() => sayText('Done.'));

  const unfinished = await embedded({ model: hanging });
  await unfinished.start('Wait.');
  await expect.poll(() => hanging.asked).toHaveLength(1);

  const next = await embedded({ model, tools: () => 'mine' });
  expect(next.stack.endpoints.sqs).not.toBe(unfinished.stack.endpoints.sqs);
  const id = await next.start('Go.');
  expect(await next.atRest(id)).toMatchObject({ state: 'completed' });
  await next[Symbol.asyncDispose]();
  await unfinished[Symbol.asyncDispose]();

  await using last = await embedded({ model });
  expect(last.stack.endpoints).toEqual(next.stack.endpoints);
  expect((await last.api('GET', '/sessions')).body.sessions).toEqual([]);
  expect((await last.api('GET', `/sessions/${id}`)).status).toBe(404);
  expect(await last.atRest(await last.start('Go.'))).toMatchObject({ state: 'completed' });
  expect(model.asked).toHaveLength(2);
});

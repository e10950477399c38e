import { expect, test } from 'vitest';
import { calls, converse, exception, says, thinks } from '../support/converse-events.ts';
import { embedded } from '../support/embedded.ts';
import { modelServer, reply } from '../support/model-server.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

test("an agent runs on Bedrock by its function's role: a throttled stream is tried again, and reasoning goes back", async () => {
  await using bedrock = await modelServer(
    reply([exception('throttlingException', { message: 'Too many requests.' })]),
    reply(
      converse([thinks('sig', 'Hm.'), says('On it.'), calls('tooluse_1', 'look', '{"n":1}')], 'tool_use'),
    ),
    reply(converse([says('It is done.')])),
  );
  await using model = await ruleModel(() => sayText('not asked'));
  await using world = await embedded({ model, modelUrls: { bedrock: bedrock.url } });

  const { body } = await world.api('POST', '/sessions', { agent: 'on-bedrock', message: 'Do it.' });
  const session = await world.atRest(body.sessionId);

  expect(session).toMatchObject({ state: 'completed', run: { steps: 2, toolCalls: 1 } });
  expect(await world.messages(body.sessionId)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'On it.' },
    { role: 'tool' },
    { role: 'assistant', content: 'It is done.' },
  ]);
  expect(model.asked).toEqual([]);
  const [, , last] = bedrock.requests;
  expect(last).toMatchObject({
    path: '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
    headers: {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request,/,
      ),
    },
    body: {
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [{ reasoningContent: { reasoningText: { signature: 'sig' } } }, {}, {}],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1' } }, {}] },
      ],
    },
  });
});

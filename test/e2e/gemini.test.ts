import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { call, chunk, error, generated, signature, text, thought, wire } from '../support/gemini-events.ts';
import { modelServer, reply } from '../support/model-server.ts';
import { ruleModel, sayText } from '../support/rule-model.ts';

test('an agent runs on Gemini: an overloaded stream is tried again, and signatures go back on their parts', async () => {
  await using google = await modelServer(
    reply([chunk([text('Hi')]), wire(error(503, 'UNAVAILABLE', 'The model is overloaded.'))]),
    reply(
      generated([
        thought('Hm.'),
        text('On it.'),
        call('look', { n: 1 }, 'first', 'x#1'),
        call('look', { n: 2 }),
      ]),
    ),
    reply([chunk([text('It is done.')]), chunk([text('', 'last')], { finishReason: 'STOP' })]),
    reply(generated([text('Gladly.')])),
  );
  await using model = await ruleModel(() => sayText('not asked'));
  await using world = await embedded({ model, modelUrls: { google: `${google.url}/v1beta` } });

  const { body } = await world.api('POST', '/sessions', { agent: 'on-gemini', message: 'Do it.' });
  const session = await world.atRest(body.sessionId);

  expect(session).toMatchObject({ state: 'completed', run: { steps: 2, toolCalls: 2 } });
  expect(await world.messages(body.sessionId)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'On it.' },
    { role: 'tool' },
    { role: 'tool' },
    { role: 'assistant', content: 'It is done.' },
  ]);
  await world.api('POST', `/sessions/${body.sessionId}/messages`, { message: 'Thanks.' });
  await world.atRest(body.sessionId);
  expect(model.asked).toEqual([]);
  const { path, headers, body: sent } = google.requests[3] ?? {};
  expect(path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
  expect(headers).toHaveProperty('x-goog-api-key');
  expect(headers).not.toHaveProperty('authorization');
  expect(sent?.contents).toMatchObject([
    { role: 'user' },
    {
      role: 'model',
      parts: [
        { text: 'On it.' },
        { functionCall: { id: 'x#1', name: 'look' }, thoughtSignature: signature('first') },
        { functionCall: { name: 'look' } },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'x#1', name: 'look' } }, { functionResponse: {} }] },
    { role: 'model', parts: [{ text: 'It is done.' }, { text: '', thoughtSignature: signature('last') }] },
    { role: 'user' },
  ]);
});

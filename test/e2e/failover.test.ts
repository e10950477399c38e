import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { expect, test } from 'vitest';
import { embedded } from '../support/embedded.ts';
import { apiError } from '../support/model-server.ts';
import { ruleModel } from '../support/rule-model.ts';
import { custom } from '../unit/step/reading.fixture.ts';

test('T14: a model whose account is refused hands its run to a model of another provider, on the second server', async () => {
  const asked: ChatCompletionRequest[] = [];
  const second = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  second.on({ predicate: () => true }, (request) => {
    asked.push(request);
    return request.messages.at(-1)?.role === 'tool'
      ? { content: 'It is done.' }
      : { content: 'On it.', toolCalls: [{ name: 'look', arguments: '{"n":1}' }] };
  });
  const url = await second.start();
  try {
    await using model = await ruleModel(() => apiError(402, 'billing_error', 'no money'));
    await using world = await embedded({ model, modelUrls: { secondary: `${url}/v1` } });

    const { body } = await world.api('POST', '/sessions', { agent: 'failing-over', message: 'Do it.' });
    const session = await world.atRest(body.sessionId);

    expect(session).toMatchObject({ state: 'completed', run: { steps: 2, toolCalls: 1 } });
    expect(custom(await world.events(body.sessionId), 'steploop.provider_switch')).toMatchObject([
      { from: { model: 'claude-sonnet-5-5' }, to: { provider: 'openai', model: 'gpt-5' } },
    ]);
    expect(model.asked).toHaveLength(1);
    expect(asked.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(await world.messages(body.sessionId)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'On it.' },
      { role: 'tool' },
      { role: 'assistant', content: 'It is done.' },
    ]);
  } finally {
    await second.stop();
  }
});

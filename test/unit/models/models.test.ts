import { expect, test } from 'vitest';
import type { BuiltInProvider } from '../../../shared/agent/config/model.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import * as converse from '../../support/converse-events.ts';
import * as gemini from '../../support/gemini-events.ts';
import { modelRequest, replyOf } from '../../support/model-call.ts';
import { message, text } from '../../support/model-events.ts';
import { modelServer, reply } from '../../support/model-server.ts';
import { completion, says } from '../../support/openai-events.ts';
import * as responses from '../../support/responses-events.ts';

const signal = new AbortController().signal;
const chat = () => reply(completion(says('Nine.')));

test('each request goes to its own server, in its own protocol, with its own key', async () => {
  const items = reply(responses.response([responses.says('msg_1', 'Nine.')]));
  const converses = reply(converse.converse([converse.says('Nine.')]));
  const generates = reply(gemini.generated([gemini.text('Nine.')]));
  await using first = await modelServer(
    ...[reply(message([text('Nine.')])), chat(), chat(), items, converses, generates],
  );
  await using second = await modelServer(chat());
  const server = (baseUrl: string, key: string) => ({
    baseUrl,
    auth: 'bearer' as const,
    key: async () => key,
  });
  const provider = modelProvider({
    primary: server(first.url, 'one'),
    secondary: server(second.url, 'two'),
  });
  const ask = async (speaks: BuiltInProvider, at: 'primary' | 'secondary') => {
    const outcome = await provider.complete(modelRequest({ provider: speaks, server: at }), () => {}, signal);
    expect(replyOf(outcome).content).toMatchObject([{ type: 'text', text: 'Nine.' }]);
  };
  await ask('anthropic', 'primary');
  await ask('openai', 'primary');
  await ask('openai-xml', 'primary');
  await ask('openai-responses', 'primary');
  await ask('bedrock-converse', 'primary');
  await ask('gemini', 'primary');
  await ask('openai', 'secondary');
  const sent = [first, second].map(({ requests }) =>
    requests.map(
      ({ path, headers }) => `${path} ${headers.authorization ?? `key ${headers['x-goog-api-key']}`}`,
    ),
  );
  expect(sent).toEqual([
    [
      '/v1/messages Bearer one',
      '/chat/completions Bearer one',
      '/chat/completions Bearer one',
      '/responses Bearer one',
      '/model/claude-test-1/converse-stream Bearer one',
      '/models/claude-test-1:streamGenerateContent?alt=sse key one',
    ],
    ['/chat/completions Bearer two'],
  ]);
});

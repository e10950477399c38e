import { describe, expect, test } from 'vitest';
import { httpSession } from '../../support/http-session.ts';
import { message, text } from '../../support/model-events.ts';
import { modelServer, reply, status } from '../../support/model-server.ts';
import { calls, response, says, thinks } from '../../support/responses-events.ts';
import { servedWorld } from '../../support/served-world.ts';
import { ending, tool } from '../step/reading.fixture.ts';

/** Whole runs on the Responses API, against a server that refuses what the real one does. */

const model = { provider: 'openai-responses', name: 'gpt-test-1', dialect: 'openai' } as const;
const thoughtful = () =>
  reply(response([thinks('rs_1', 'enc-1', 'Hm.'), calls('fc_1', 'call_1', 'look', '{}')]));
const done = () => reply(response([thinks('rs_2', 'enc-2'), says('msg_2', 'Nine.')]));
const again = () => reply(response([says('msg_3', 'Still nine.')]));

test('reasoning goes back with its call, and with the next message', async () => {
  await using served = await servedWorld({ model, tools: [tool('look')] }, [thoughtful(), done(), again()]);
  expect(ending(await served.hear('What time is it?'))).toMatchObject({ state: 'completed' });
  expect(ending(await served.hear('And now?'))).toMatchObject({ state: 'completed' });
  const kinds = served.server.requests.map(({ body }) =>
    (body.input as { type?: string; role?: string; encrypted_content?: string }[]).map(
      ({ type, role, encrypted_content: encrypted }) => encrypted ?? type ?? role,
    ),
  );
  expect(kinds).toEqual([
    ['user'],
    ['user', 'enc-1', 'function_call', 'function_call_output'],
    ['user', 'enc-1', 'function_call', 'function_call_output', 'enc-2', 'message', 'user'],
  ]);
});

test('a request begins with the bytes of the one before', async () => {
  await using served = await servedWorld({ model, tools: [tool('look')] }, [thoughtful(), done(), again()]);
  await served.hear('What time is it?');
  await served.hear('And now?');
  const [first = '', second = '', third = ''] = served.server.requests.map(({ raw }) => raw.slice(0, -2));
  expect(second.startsWith(first)).toBe(true);
  expect(third.startsWith(second)).toBe(true);
});

test('reasoning that its server no longer reads is left out, and the run goes on', async () => {
  const refusal = status(
    400,
    {},
    {
      error: {
        ...{ type: 'invalid_request_error', code: 'invalid_encrypted_content' },
        message: 'The encrypted content enc-...1 could not be verified.',
      },
    },
  );
  await using served = await servedWorld({ model, tools: [tool('look')] }, [thoughtful(), refusal, done()]);
  expect(ending(await served.hear('What time is it?'))).toMatchObject({ state: 'completed' });
  const last = JSON.stringify(served.server.requests.at(-1)?.body);
  expect(last).toContain('function_call_output');
  expect(last).not.toContain('enc-1');
});

describe('a fallback of another API', () => {
  test('reads neither the reasoning nor the ids of the first model', async () => {
    const failed = () => status(401, {}, { error: { code: 'invalid_api_key', message: 'no' } });
    await using first = await modelServer(thoughtful(), failed());
    await using second = await modelServer(reply(message([text('Nine.')])));
    const world = await httpSession(
      {
        model: { ...model, fallbacks: [{ name: 'claude-test-1', server: 'secondary' }] },
        tools: [tool('look')],
      },
      { primary: first.url, secondary: second.url },
    );
    await world.say('What time is it?');
    await world.settle();
    expect(ending(await world.events())).toMatchObject({ state: 'completed' });
    const raw = second.requests[0]?.raw ?? '';
    expect(raw).toContain('call_1');
    for (const own of ['enc-1', 'rs_1', 'fc_1', '_given']) expect(raw).not.toContain(own);
  });
});

/** Public reports on tools that a model's server runs. Each test begins with the report's id. */

import { describe, expect, test } from 'vitest';
import { toBody } from '../../../shared/models/openai/request.ts';
import { askedServer, httpSession } from '../../support/http-session.ts';
import { modelRequest } from '../../support/model-call.ts';
import { block, message, text } from '../../support/model-events.ts';
import { reply } from '../../support/model-server.ts';
import { completion, delta, says } from '../../support/openai-events.ts';
import { servedWorld } from '../../support/served-world.ts';
import { custom, ending, tool } from '../step/reading.fixture.ts';

const search = { type: 'web_search_20260209', name: 'web_search', max_uses: 3 };
const called = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'steploop' },
};
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    {
      type: 'web_search_result',
      url: 'https://docs.test',
      title: 'Docs',
      encrypted_content: 'x',
      page_age: null,
    },
  ],
};
const citation = {
  type: 'web_search_result_location',
  url: 'https://docs.test',
  title: 'Docs',
  encrypted_index: 'y',
  cited_text: 'A loop.',
};
const cited = block(
  { type: 'text', text: '' },
  { type: 'citations_delta', citation },
  { type: 'text_delta', text: 'It is a loop.' },
);
const answer = () => reply(message([block(called), block(found), cited]));

interface Body {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: readonly object[] }[];
}
const empty: Body = { tools: [], messages: [] };

describe.each<[string, readonly string[]]>([
  ['an agent with a tool of its own', ['look']],
  ['an agent without', []],
])('server-tools-dropped: %s', (_name, own) => {
  test('server-tools-dropped: both kinds of tools are sent, and results and citations are kept for the next request', async () => {
    const definition = { model: { name: 'm', serverTools: [search] }, tools: own.map((name) => tool(name)) };
    await using served = await servedWorld(definition, [answer(), reply(message([text('Yes.')]))]);
    await served.hear('What is steploop?');
    expect(ending(await served.hear('Sure?'))).toMatchObject({ state: 'completed' });
    expect(custom(await served.world.events(), 'steploop.server_tools')).toMatchObject([
      {
        calls: [{ id: 'srvtoolu_1', name: 'web_search', input: '{"query":"steploop"}', outcome: 'ok' }],
        citations: [{ url: 'https://docs.test', title: 'Docs', text: 'A loop.' }],
      },
    ]);
    const bodies = served.server.requests.map(({ body }) => body as unknown as Body);
    const [first = empty, second = empty] = bodies;
    const names = first.tools.map(({ name }) => name);
    expect(names).toEqual(['web_search', ...own]);
    expect(first.tools[0]).toMatchObject(search);
    expect(second.tools).toEqual(first.tools);
    const [, said] = second.messages;
    expect(said?.content).toMatchObject([
      called,
      found,
      { type: 'text', text: 'It is a loop.', citations: [citation] },
    ]);
  });
});

test('server-tools-dropped: fields of `request` that would be dropped are refused', () => {
  return expect(servedWorld({ model: { name: 'm', request: { tools: [search] } } }, [])).rejects.toThrow(
    'declare `tools` of the agent, and tools that the server runs as `serverTools`',
  );
});

test('server-tools-dropped: OpenRouter gets its tools before the agent’s own', () => {
  const body = JSON.parse(
    toBody(
      modelRequest({
        provider: 'openai',
        dialect: 'openrouter',
        serverTools: [{ type: 'openrouter:web_search' }],
        tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }],
      }),
      'https://openrouter.ai/api/v1',
      'native',
    ),
  );
  expect(body.tools).toMatchObject([
    { type: 'openrouter:web_search' },
    { type: 'function', function: { name: 'look' } },
  ]);
});

test('server-tools-dropped: people see the citations of a reply over Chat Completions, and no server gets them', async () => {
  const url_citation = {
    url: 'https://docs.test',
    title: 'Docs',
    content: 'A loop.',
    start_index: 0,
    end_index: 5,
  };
  const odd = [null, 'x', { type: 'file_citation' }, { type: 'url_citation', url_citation: { url: 3 } }];
  const annotations = [{ type: 'url_citation', url_citation }, ...odd];
  await using server = await askedServer((_body, before) =>
    completion(before === 0 ? [...says('It is a loop.'), delta({ annotations })] : says('Yes.')),
  );
  const session = await httpSession({ model: { provider: 'openai', name: 'm' } }, { primary: server.url });
  for (const text of ['What is steploop?', 'Sure?']) {
    await session.say(text);
    await session.settle();
  }
  expect(custom(await session.events(), 'steploop.server_tools')).toMatchObject([
    { calls: [], citations: [{ url: 'https://docs.test', title: 'Docs', text: 'A loop.' }] },
  ]);
  expect(JSON.stringify(server.bodies.at(-1))).not.toContain('docs.test');
});

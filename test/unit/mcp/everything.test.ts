import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpDouble } from '../../support/mcp/double.ts';
import { type Everything, everything } from '../../support/mcp/everything.ts';
import { contents, play, through } from '../../support/mcp/play.ts';

/** The reference server of the protocol, over HTTP: it covers what other servers do. */
let server: Everything;
beforeAll(async () => {
  server = await everything();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const internet = through(() => server.url);

test('its tools are listed with their inputs, as the server’s own words; those that need tasks are left out', async () => {
  const { requests } = await play(internet, []);
  const tools = requests[0]?.tools ?? [];
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'srv__echo',
      'srv__get-sum',
      'srv__get-tiny-image',
      'srv__get-structured-content',
    ]),
  );
  expect(tools.find(({ name }) => name === 'srv__echo')).toMatchObject({
    description:
      'A tool of the MCP server "srv", which describes it so: Echo Tool: Echoes back the input string',
    input_schema: { type: 'object', required: ['message'] },
  });
  expect(tools.map(({ name }) => name)).not.toContain('srv__simulate-research-query');
});

test('text, structured content, images, links and resources are read as text', async () => {
  const run = await play(internet, [
    [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-tiny-image'],
      ['get-resource-links', { count: 1 }],
      ['get-resource-reference', { resourceType: 'Blob', resourceId: 1 }],
    ],
  ]);
  expect(contents(run)).toEqual([
    'Echo: hello',
    'The sum of 2 and 3 is 5.',
    '{"temperature":33,"conditions":"Cloudy","humidity":82}',
    expect.stringMatching(/\[image\/png, [\d,]+ bytes\]/),
    expect.stringContaining('[a resource: Blob Resource 1, demo://resource/dynamic/blob/1'),
    expect.stringMatching(
      /\[the resource demo:\/\/resource\/dynamic\/blob\/1: text\/plain, [\d,]+ bytes, not shown\]/,
    ),
  ]);
});

test('an image is seen by the model, and an invalid one is reported', async () => {
  const run = await play(internet, [[['get-tiny-image']]]);
  const told = JSON.stringify(run.requests.at(-1)?.messages);
  expect(told).toContain('"type":"image"');
  const fake = { content: [{ type: 'image', mimeType: 'image/png', data: btoa('<script>') }] };
  const server = mcpDouble({ answers: ({ method }) => (method === 'tools/call' ? fake : undefined) });
  const other = await play(server.internet, [[['look']]]);
  expect(other.calls[0]?.outcome).toBe('ok');
  expect(JSON.stringify(other.requests.at(-1)?.messages)).not.toContain('"type":"image"');
});

test('arguments that do not match its schema never reach it', async () => {
  const run = await play(internet, [[['get-sum', { a: 'two', b: 3 }]]]);
  expect(contents(run)).toEqual([expect.stringContaining('Error [invalid_arguments]')]);
});

test('parallel calls in one session get their own answers', async () => {
  const wanted = Array.from({ length: 8 }, (_, n) => n);
  const run = await play(internet, [wanted.map((n) => ['echo', { message: String(n) }] as const)], {
    effects: { echo: 'read' },
  });
  expect(contents(run)).toEqual(wanted.map((n) => `Echo: ${n}`));
});

test('a server that disappears is reported, and is used again when it is back at its address', async () => {
  let own = await everything();
  const { url } = own;
  let calls = 0;
  const there = through(() => url);
  const run = await play(
    async (request) => {
      if ((await request.clone().text()).includes('tools/call') && ++calls > 1) {
        // It stops before the second call; it is back before the third, and does not know the session.
        if (calls === 2) await own[Symbol.asyncDispose]();
        if (calls === 3) own = await everything(Number(new URL(url).port));
      }
      return there(request);
    },
    [[['echo', { message: '1' }]], [['echo', { message: '2' }]], [['echo', { message: '3' }]]],
  ).finally(() => own[Symbol.asyncDispose]());
  expect(contents(run)).toEqual([
    'Echo: 1',
    expect.stringMatching(
      /^Error \[failed\]: whether echo has run is not known: the MCP server srv cannot be reached/,
    ),
    'Echo: 3',
  ]);
});

test('its question during a call goes to a person, and the call continues with the answer', async () => {
  const asked: string[] = [];
  const run = await play(
    internet,
    [
      [
        ['trigger-elicitation-request'],
        ['trigger-url-elicitation', { url: 'https://example.org/pay', elicitationId: 'e1' }],
      ],
    ],
    {},
    {
      decides: ({ message }) => {
        asked.push(message);
        return message.includes('> Please provide') ? 'name: Ann\ninteger: 7' : 'done';
      },
    },
  );
  expect(asked).toEqual([
    expect.stringContaining('> Please provide inputs for the following fields:'),
    expect.stringContaining('The page is at example.org: https://example.org/pay'),
  ]);
  expect(contents(run)).toEqual([
    expect.stringContaining('- Name: Ann'),
    expect.stringContaining('"action": "accept"'),
  ]);
  expect(contents(run)[0]).toContain('- Favorite Integer: 7');
});

test('a page that must be opened before a call is shown to a person too', async () => {
  const run = await play(
    internet,
    [[['trigger-url-elicitation', { url: 'https://example.org/pay', errorPath: true, elicitationId: 'e2' }]]],
    {},
    { decides: ({ message }) => (message.includes('https://modelcontextprotocol.io') ? 'done' : 'decline') },
  );
  expect(contents(run)).toEqual([expect.stringContaining('"action": "decline"')]);
});

test('no model answers its sampling request: a person writes the answer', async () => {
  const run = await play(
    internet,
    [[['trigger-sampling-request', { prompt: 'Sum up.' }]]],
    { sampling: 'person' },
    { decides: () => 'It is short.' },
  );
  expect(contents(run)).toEqual([expect.stringContaining('It is short.')]);
  const without = await play(internet, []);
  expect(without.requests[0]?.tools.map(({ name }) => name)).not.toContain('srv__trigger-sampling-request');
});

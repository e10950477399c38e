import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpDouble, text } from '../../support/mcp/double.ts';
import { type Everything, everything } from '../../support/mcp/everything.ts';
import { contents, play, through } from '../../support/mcp/play.ts';

let server: Everything;
beforeAll(async () => {
  server = await everything();
});
afterAll(() => server?.[Symbol.asyncDispose]());
const internet = through(() => server.url);

test('resources are readable by their URIs if the definition enables it: those that a result names, and those that the server lists', async () => {
  const uri = 'demo://resource/dynamic/text/2';
  const run = await play(internet, [[['get-resource-links', { count: 2 }]], [['read_resource', { uri }]]], {
    resources: true,
  });
  expect(contents(run)).toEqual([
    expect.stringContaining(uri),
    expect.stringMatching(/^\[the resource demo:\/\/resource\/dynamic\/text\/2\]\n.*Resource 2/s),
  ]);
  const tool = run.requests[0]?.tools.find(({ name }) => name === 'srv__read_resource');
  expect(tool?.description).toContain('demo://resource/dynamic/text/{resourceId}');
  expect((tool?.description ?? '').length).toBeLessThan(2_300);
});

test('without the option, or if the server has none, no tool reads resources', async () => {
  const names = (run: Awaited<ReturnType<typeof play>>) => run.requests[0]?.tools.map(({ name }) => name);
  expect(names(await play(internet, []))).not.toContain('srv__read_resource');
  expect(names(await play(mcpDouble().internet, [], { resources: true }))).toEqual(['srv__look']);
});

test('a missing resource is reported, and one that is too large ends the call', async () => {
  const run = await play(internet, [[['read_resource', { uri: 'demo://nothing' }]]], { resources: true });
  expect(run.calls[0]?.outcome).toBe('error');
  expect(contents(run)[0]).toContain('the MCP server srv answers with the error');
  const big = mcpDouble({
    capabilities: { tools: {}, resources: {} },
    answers: ({ method }) =>
      method === 'resources/read' ? { contents: [{ uri: 'x:1', text: 'x'.repeat(9_000) }] } : undefined,
  });
  const other = await play(big.internet, [[['read_resource', { uri: 'x:1' }]]], {
    resources: true,
    maxResultBytes: 5_000,
  });
  expect(contents(other)[0]).toContain('sent more than 5,000 bytes');
});

test('one odd resource, and odd fields of another, lose only themselves', async () => {
  const odd = mcpDouble({
    capabilities: { tools: {}, resources: {} },
    answers: ({ method }) => {
      if (method === 'resources/list')
        return {
          resources: [{ name: 'nowhere' }, { uri: 'x:1', name: null, mimeType: null, size: 'small' }],
          _meta: null,
        };
      if (method === 'resources/templates/list') return { resourceTemplates: null };
      return method === 'resources/read'
        ? { contents: [null, { uri: null, mimeType: null, text: 'hi', annotations: null }] }
        : undefined;
    },
  });
  const run = await play(odd.internet, [[['read_resource', { uri: 'x:1' }]]], { resources: true });
  expect(contents(run)).toEqual(['[the resource ]\nhi']);
  const tool = run.requests[0]?.tools.find(({ name }) => name === 'srv__read_resource');
  expect(tool?.description).toContain('It lists these: x:1 (x:1)');
});

test('an image that is embedded as a resource is seen by the model', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const resource = { uri: 'x:picture', mimeType: 'image/png', blob: png };
  const embedding = mcpDouble({
    answers: ({ method }) =>
      method === 'tools/call' ? { content: [{ type: 'resource', resource }] } : undefined,
  });
  const run = await play(embedding.internet, [[['look']]]);
  expect(contents(run)[0]).toMatch(/\[the resource x:picture: image\/png, [\d,]+ bytes\]/);
  expect(JSON.stringify(run.requests.at(-1)?.messages)).toContain('"type":"image"');
});

test('the progress that a server reports goes to subscribers and not to the model', async () => {
  const run = await play(internet, [[['trigger-long-running-operation', { duration: 0.5, steps: 2 }]]], {});
  const told = run.events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.progress' ? [event.value] : [],
  );
  expect(told.at(-1)).toMatchObject({ message: '2 of 2', share: 1 });
  expect(JSON.stringify(run.requests)).not.toContain('2 of 2');
});

test('endless or odd progress is throttled and sanitized', async () => {
  const many = mcpDouble({
    answers: ({ method, id, params }) => {
      if (method !== 'tools/call') return undefined;
      const { progressToken } = params._meta;
      const word = (n: number) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: n, total: 9, message: `\u{202e}${'w'.repeat(2_000)}` },
      });
      const lines = [
        ...Array.from({ length: 50 }, (_, n) => word(n % 9)),
        { jsonrpc: '2.0', id, result: text('ok') },
      ];
      return new Response(lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(''), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  const run = await play(many.internet, [[['look']]]);
  expect(contents(run)).toEqual(['ok']);
  const told = run.events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.progress' ? [event.value.message] : [],
  );
  expect(told.length).toBeLessThan(5);
  expect(told[0]).toMatch(/^w{300} … \(cut/);
});

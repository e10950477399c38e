import { expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/index.ts';
import { calls, rehearse, says } from '../../../testing/index.ts';
import { mcpServer } from '../../../tools/mcp/index.ts';
import { mcpDouble } from '../../support/mcp/double.ts';

const agent = defineAgent({
  name: 'reader',
  version: '1',
  model: { name: 'claude-test-1' },
  system: 'You read.',
  toolSources: [mcpServer({ name: 'docs', url: 'https://mcp.example.com/mcp', effects: { look: 'read' } })],
});

const fine = { type: 'text', text: 'fine' };

test.each([
  [
    'content of an unknown kind',
    { content: [fine, { type: 'hologram', data: 'x' }] },
    'fine\n{"type":"hologram","data":"x"}',
  ],
  ['a text that is null', { content: [fine, { type: 'text', text: null }] }, 'fine\n'],
  ['null among the content', { content: [null, fine] }, 'fine'],
  ['content that is null', { content: null, structuredContent: { a: 1 } }, '{"a":1}'],
  ['content that is a text', { content: 'plain' }, 'plain'],
  ['the field of the first protocol versions', { toolResult: { a: 1 } }, '{"a":1}'],
  ['structured content that is a list', { content: [], structuredContent: [1, 2] }, '[1,2]'],
  ['structured content that is null', { content: [fine], structuredContent: null }, 'fine'],
  ['annotations that are null', { content: [{ ...fine, annotations: null }] }, 'fine'],
  [
    'a link without a name',
    { content: [{ type: 'resource_link', uri: 'file:///a' }] },
    '[a resource: file:///a, file:///a]',
  ],
  ['audio without its type', { content: [{ type: 'audio', data: 'aGk=' }] }, '[audio, 2 bytes, not shown]'],
  [
    'a resource without an address',
    { content: [{ type: 'resource', resource: { text: 'hi' } }] },
    '[the resource ]\nhi',
  ],
  ['nothing', {}, 'ok'],
  ['one block without a list (symfony/ai#123)', { content: fine }, 'fine'],
  [
    'JSON of its own kind (apify/apify-mcp-server#264)',
    { content: [{ type: 'json', json: { a: 1 } }] },
    '{"type":"json","json":{"a":1}}',
  ],
  [
    'audio whose bytes are no base64',
    { content: [{ type: 'audio', data: 'a?b c', mimeType: 'audio/wav' }] },
    '[audio/wav, 2 bytes, not shown]',
  ],
  ['metadata that is null', { content: [fine], _meta: null }, 'fine'],
])('the result of a call is kept with %s', async (_what, result, content) => {
  const { internet } = mcpDouble({ answers: ({ method }) => (method === 'tools/call' ? result : undefined) });
  const run = await rehearse(agent, {
    user: 'x',
    model: [calls(['docs__look', { n: 1 }]), says('ok')],
    internet,
  });
  expect(run.calls).toMatchObject([{ outcome: 'ok', content }]);
});

test.each([
  [
    'a mark that is a text',
    { content: [{ type: 'text', text: 'no such page' }], isError: 'true' },
    'no such page',
  ],
  ['no words', { content: [], isError: true }, 'the tool reports a failure without a reason'],
  [
    'an empty text',
    { content: [{ type: 'text', text: '' }], isError: true },
    'the tool reports a failure without a reason',
  ],
  [
    'content of the kind `error` (QuantGeekDev/mcp-framework#130)',
    { content: [{ type: 'error', text: 'no such page' }] },
    'no such page',
  ],
])('a call that its server reports as failed stays failed, also with %s', async (_what, result, content) => {
  const { internet } = mcpDouble({ answers: ({ method }) => (method === 'tools/call' ? result : undefined) });
  const run = await rehearse(agent, {
    user: 'x',
    model: [calls(['docs__look', { n: 1 }]), says('ok')],
    internet,
  });
  expect(run.calls).toMatchObject([{ outcome: 'error', content: `Error [failed]: ${content}` }]);
});

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each([
  ['a data: URL (nota/gyazo-mcp-server#129)', `data:image/png;base64,${PNG}`],
  ['on several lines', PNG.replace(/.{60}/g, '$&\r\n')],
  [
    'in the alphabet for URLs, without padding',
    PNG.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  ],
])('the model sees an image whose bytes are %s', async (_what, data) => {
  const result = { content: [{ type: 'image', data, mimeType: 'image/png' }] };
  const { internet } = mcpDouble({ answers: ({ method }) => (method === 'tools/call' ? result : undefined) });
  const run = await rehearse(agent, {
    user: 'x',
    model: [calls(['docs__look', { n: 1 }]), says('ok')],
    internet,
  });
  expect(run.calls).toMatchObject([{ outcome: 'ok', content: '[image/png, 70 bytes]' }]);
  expect(JSON.stringify(run.requests.at(-1))).toContain('"image"');
});

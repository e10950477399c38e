/** Settings of models that a definition may have, and those that it refuses because a server would drop or refuse them. */

import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { tool } from '../step/reading.fixture.ts';

type Definition = Parameters<typeof defineAgent>[0];
const define =
  (model: object, more: Partial<Definition> = {}) =>
  () =>
    defineAgent({ name: 'a', version: '1', system: 'S.', ...more, model: { name: 'm', ...model } });

const search = { type: 'web_search_20260209', name: 'web_search', max_uses: 3 };

describe('fields of `request` that the agent sets itself are refused', () => {
  test.each(['model', 'messages', 'tools', 'system', 'max_tokens'])('%s', (key) => {
    expect(define({ request: { [key]: [] } })).toThrow(`model.request.${key} is set by the agent itself: `);
  });

  test.each(['model', 'messages', 'tools', 'system'])('%s, for Chat Completions', (key) => {
    expect(define({ provider: 'openai', request: { [key]: [] } })).toThrow(`model.request.${key} is set`);
  });

  test('also for fallbacks and for the summarizing model', () => {
    const wrong = { name: 'f', request: { tools: [] } };
    expect(define({ fallbacks: [wrong] })).toThrow('model.fallbacks[0].request.tools');
    expect(define({ summarizer: wrong })).toThrow('model.summarizer.request.tools');
  });

  test('the output limit stays the agent’s at servers that name it differently', () => {
    expect(define({ provider: 'openai', request: { max_completion_tokens: 5 } })).not.toThrow();
  });
});

describe('model.cache', () => {
  test.each([
    [false],
    [{ tools: '1h', system: '1h', messages: '5m' }],
    [{ system: '1h' }],
    [{ messages: '1h' }],
    [{ tools: false, system: '1h' }],
    [{}],
  ])('accepts %j', (cache) => {
    expect(define({ cache })).not.toThrow();
  });

  test.each<[object, string]>([
    [{ tools: '5m', system: '1h' }, 'keeps system for an hour behind tools for five minutes'],
    [{ tools: '1h', system: '5m', messages: '1h' }, 'keeps messages for an hour behind system'],
    [{ tools: '2h' }, 'model.cache'],
    [{ prompt: '5m' }, 'model.cache'],
  ])('refuses %j', (cache, says) => {
    expect(define({ cache })).toThrow(says);
  });

  test('cannot be combined with the API’s own field', () => {
    const request = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    expect(define({ cache: { system: '1h' }, request })).toThrow('set only one of them');
    expect(define({ request })).not.toThrow();
  });
});

describe('model.serverTools', () => {
  test('are accepted as the server declares them', () => {
    const toolset = { type: 'mcp_toolset', mcp_server_name: 'docs' };
    const { model } = define({ serverTools: [search, toolset] })();
    expect(model.serverTools).toEqual([search, toolset]);
  });

  test.each<[string, object, Partial<Definition>, string]>([
    ['without a name', { type: 'web_search_20260209' }, {}, 'web_search_20260209 needs a `name`'],
    ['without a type', { name: 'web_search' }, {}, 'type'],
    ['a breakpoint', { ...search, cache_control: { type: 'ephemeral' } }, {}, 'set `cache` of the model'],
    ["a tool of the agent's own kind", { type: 'custom', name: 'x' }, {}, 'declare it with defineTool'],
    [
      'an own tool’s name',
      search,
      { tools: [tool('web_search')] },
      'the agent has a tool named web_search too',
    ],
    [
      'a tool without a runner',
      { type: 'memory_20250818', name: 'memory' },
      {},
      'declare a tool of that name',
    ],
    [
      'a token in plain text',
      { type: 'mcp', name: 'x', authorization_token: 's' },
      {},
      'in plain text with every session',
    ],
  ])('refuses %s', (_name, one, more, says) => {
    expect(define({ serverTools: [one] }, more)).toThrow(says);
  });

  test('refuses a duplicate name', () => {
    expect(define({ serverTools: [search, { ...search, type: 'web_search_20250305' }] })).toThrow(
      'two server tools are named web_search',
    );
  });

  test('accepts a tool that the server declares and the agent runs', () => {
    const serverTools = [{ type: 'memory_20250818', name: 'memory' }];
    expect(define({ serverTools }, { tools: [tool('memory')] })).not.toThrow();
  });

  test('refuses a token of an MCP server in `request`', () => {
    const request = {
      mcp_servers: [{ type: 'url', name: 'x', url: 'https://x.test', authorization_token: 's' }],
    };
    expect(define({ request })).toThrow('model.request.mcp_servers[0].authorization_token');
  });

  test('are refused for Chat Completions, except at OpenRouter', () => {
    const serverTools = [{ type: 'openrouter:web_search' }];
    expect(define({ provider: 'openai', serverTools })).toThrow('web_search_options');
    expect(define({ provider: 'openai-xml', serverTools })).toThrow('cannot use server tools');
    expect(define({ provider: 'openai', dialect: 'openrouter', serverTools })).not.toThrow();
  });
});

describe('the Responses API', () => {
  const provider = 'openai-responses';

  test.each([
    [{ request: { input: [] } }, 'model.request.input is set by the agent itself'],
    [{ request: { store: true } }, 'nothing is stored'],
    [{ request: { previous_response_id: 'resp_1' } }, 'each request has the whole conversation'],
    [{ dialect: 'mistral' as const }, 'has no Responses API'],
    [{ dialect: 'anthropic' as const }, 'has no Responses API'],
    [{ serverTools: [{ type: 'function', name: 'x' }] }, 'declare it with defineTool'],
  ])('refuses %j', (more, says) => {
    expect(define({ provider, ...more })).toThrow(says);
  });

  test('takes the server’s tools, which need no name, and fields of its own', () => {
    expect(
      define({
        provider,
        dialect: 'azure',
        serverTools: [{ type: 'web_search' }],
        request: { reasoning: { effort: 'high', summary: 'auto' } },
      }),
    ).not.toThrow();
  });
});

describe.each(['bedrock-converse', 'gemini'])('%s', (provider) => {
  test('has no server tools, and says so for every model of an agent', () => {
    const serverTools = [{ type: 'web_search' }];
    expect(define({ provider, serverTools })).toThrow(
      `model.serverTools: the provider ${provider} sends no tools that the server runs: `,
    );
    expect(define({ fallbacks: [{ name: 'f', provider, serverTools }] })).toThrow(
      'model.fallbacks[0].serverTools: the provider',
    );
    expect(define({ provider, serverTools: [] })).not.toThrow();
  });
});

describe('fields inside of `request` that the agent sets itself are refused', () => {
  test.each([
    [
      'bedrock-converse',
      { inferenceConfig: { maxTokens: 5 } },
      'inferenceConfig.maxTokens',
      'say `maxTokens`',
    ],
    ['bedrock-converse', { toolConfig: { tools: [] } }, 'toolConfig.tools', 'declare `tools`'],
    [
      'gemini',
      { generationConfig: { maxOutputTokens: 5 } },
      'generationConfig.maxOutputTokens',
      'say `maxTokens`',
    ],
    ['gemini', { contents: [] }, 'contents', 'it is the conversation'],
    ['gemini', { systemInstruction: {} }, 'systemInstruction', 'say `system`'],
    ['gemini', { system_instruction: {} }, 'system_instruction', 'say `system`'],
    [
      'gemini',
      { cachedContent: 'cachedContents/x' },
      'cachedContent',
      'each request has the whole conversation',
    ],
  ])('%s: %j', (provider, request, path, instead) => {
    const says = `model.request.${path} is set by the agent itself: ${instead}`;
    expect(define({ provider, request })).toThrow(says);
  });

  test('other fields of the same objects are sent', () => {
    const config = { temperature: 0, thinkingConfig: { includeThoughts: true } };
    expect(define({ provider: 'gemini', request: { generationConfig: config } })).not.toThrow();
    expect(define({ provider: 'bedrock-converse', request: { inferenceConfig: { topP: 1 } } })).not.toThrow();
  });

  test('calls of Gemini come whole', () => {
    const toolConfig = { functionCallingConfig: { mode: 'ANY', streamFunctionCallArguments: true } };
    expect(define({ provider: 'gemini', request: { toolConfig } })).toThrow(
      'model.request.toolConfig.functionCallingConfig.streamFunctionCallArguments is set by the agent itself: calls come whole',
    );
  });
});

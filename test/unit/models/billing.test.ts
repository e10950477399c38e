/** Bills of servers, as their replies report them. */

import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { callModel, callOpenai, modelRequest, replyOf } from '../../support/model-call.ts';
import {
  block,
  blockEvents,
  messageDelta,
  messageStart,
  messageStop,
  text,
} from '../../support/model-events.ts';
import { modelServer, reply } from '../../support/model-server.ts';
import { delta, done, finish, says, usageChunk, wire } from '../../support/openai-events.ts';

type Json = Record<string, unknown>;
const counted = (usage: Json) => usage as Record<string, number>;

async function heard(
  first: Json,
  last: Json = {},
  request: Partial<ModelRequest> = {},
  blocks = [text('Nine')],
) {
  const events = [
    messageStart(counted({ input_tokens: 10, output_tokens: 1, ...first })),
    ...blocks.flatMap(blockEvents),
    messageDelta('end_turn', counted({ output_tokens: 5, ...last })),
    messageStop,
  ];
  await using server = await modelServer(reply(events));
  return replyOf((await callModel(server.url, { request: modelRequest(request) })).outcome);
}

describe('the Messages API', () => {
  test('cache writes are reported by their lifetime, and a split without a total is a total', async () => {
    const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 };
    expect((await heard({ cache_creation_input_tokens: 100, cache_creation })).usage).toMatchObject({
      cacheWrite: 100,
      cacheWrite1h: 70,
    });
    expect((await heard({ cache_creation })).usage).toMatchObject({ cacheWrite: 100, cacheWrite1h: 70 });
  });

  test('an unreported lifetime is the more expensive one, if that was requested', async () => {
    const written = { cache_creation_input_tokens: 100 };
    expect((await heard(written)).usage).not.toHaveProperty('cacheWrite1h');
    const asked = await heard(written, {}, { cache: { system: '1h' } });
    expect(asked.usage).toMatchObject({ cacheWrite: 100, cacheWrite1h: 100 });
  });

  test('writes for an hour never exceed all writes', async () => {
    const odd = { cache_creation_input_tokens: 5, cache_creation: { ephemeral_1h_input_tokens: 900 } };
    expect((await heard(odd)).usage).toMatchObject({ cacheWrite: 5, cacheWrite1h: 5 });
  });

  test('searches are counted, and values that are not numbers are not', async () => {
    const searched = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } };
    expect((await heard({}, searched)).usage.webSearches).toBe(3);
    expect((await heard({ server_tool_use: { web_search_requests: '3' } })).usage).not.toHaveProperty(
      'webSearches',
    );
  });

  test.each<[string, Json, unknown]>([
    ['standard', { service_tier: 'standard', speed: 'standard', inference_geo: 'global' }, undefined],
    ['nothing', { service_tier: null, inference_geo: 'not_available' }, undefined],
    ['priority', { service_tier: 'priority' }, { modes: ['priority'] }],
    ['fast, and in the US', { speed: 'fast', inference_geo: 'us' }, { modes: ['fast', 'us'] }],
    ['a tier that is new', { service_tier: 'turbo' }, { unpriced: ['other_mode'] }],
    ['a word of the prototype', { service_tier: 'constructor' }, { unpriced: ['other_mode'] }],
  ])('served: %s', async (_name, usage, billing) => {
    expect((await heard(usage)).billing).toEqual(billing);
  });

  test("a compaction is billed on the side, and is not part of the model's input", async () => {
    const iterations = [
      { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
      { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
    ];
    const { usage, billing, contextTokens } = await heard(
      {},
      { input_tokens: 23_000, output_tokens: 1_000, iterations },
    );
    expect(usage).toMatchObject({ input: 23_000, output: 1_000 });
    expect(billing).toEqual({ aside: { input: 180_000, output: 3_500, cacheRead: 0, cacheWrite: 0 } });
    expect(contextTokens).toBeUndefined();
  });

  test('of several passes the last one gives the length of the context', async () => {
    const pass = (input_tokens: number, output_tokens: number) => ({
      type: 'message',
      input_tokens,
      output_tokens,
    });
    const iterations = [pass(1_000, 50), pass(1_500, 70)];
    const summed = { input_tokens: 2_500, output_tokens: 120, iterations };
    const { billing, contextTokens } = await heard({}, summed);
    expect(contextTokens).toBe(1_570);
    expect(billing?.passes?.map(({ input }) => input)).toEqual([1_000, 1_500]);
    // Passes that do not match the usage are ignored.
    expect((await heard({}, { ...summed, input_tokens: 9_999 })).billing).toBeUndefined();
  });

  test('tokens of another model are named', async () => {
    const iterations = [{ type: 'advisor_message', model: 'x', input_tokens: 9, output_tokens: 9 }];
    expect((await heard({}, { iterations })).billing).toEqual({ unpriced: ['other_model'] });
  });

  const ran = (name: string) => [block({ type: 'server_tool_use', id: 's1', name, input: {} }), text('Nine')];
  test.each([
    ['is named', [{ type: 'code_execution_20260120', name: 'code_execution' }], ['code_execution']],
    ['is free beside a newer search', [{ type: 'web_search_20260209', name: 'web_search' }], undefined],
    [
      'is not free beside an older one',
      [{ type: 'web_search_20250305', name: 'web_search' }],
      ['code_execution'],
    ],
  ])('code that ran in a container %s', async (_name, serverTools, unpriced) => {
    const { billing } = await heard({}, {}, { serverTools }, ran('bash_code_execution'));
    expect(billing?.unpriced).toEqual(unpriced);
  });
});

describe('Chat Completions', () => {
  async function chatted(
    usage: Json,
    chunk: Json = {},
    more: Json = {},
    request: Partial<ModelRequest> = {},
  ) {
    const pieces = [
      ...says('Nine'),
      delta(more),
      finish('stop'),
      wire({ choices: [], ...chunk }),
      usageChunk(usage),
      done,
    ];
    await using server = await modelServer(reply(pieces));
    const asked = modelRequest({ provider: 'openai', ...request });
    return replyOf((await callOpenai(server.url, { request: asked })).outcome);
  }
  const tokens = { prompt_tokens: 1_000, completion_tokens: 5 };

  test('cache writes are subtracted from the input', async () => {
    const details = { cached_tokens: 300, cache_write_tokens: 600 };
    const { usage } = await chatted({ ...tokens, prompt_tokens_details: details });
    expect(usage).toEqual({ input: 100, output: 5, cacheRead: 300, cacheWrite: 600 });
  });

  test.each<[string, unknown]>([
    ['default', undefined],
    ['flex', { modes: ['flex'] }],
    ['priority', { modes: ['priority'] }],
    ['warp', { unpriced: ['other_mode'] }],
  ])('served: %s', async (service_tier, billing) => {
    expect((await chatted(tokens, { service_tier })).billing).toEqual(billing);
  });

  test.each<[string, Json, number | undefined]>([
    ['credits are dollars', { cost: 0.0125 }, 0.0125],
    ['nothing', { cost: 0 }, 0],
    [
      'with the caller’s own key the provider’s bill is added',
      { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      0.021,
    ],
    ['with the caller’s own key and no bill, the cost is unknown', { cost: 0.001, is_byok: true }, undefined],
    ['an invalid amount', { cost: -1 }, undefined],
    ['not a number', { cost: '1' }, undefined],
  ])('OpenRouter: %s', async (_name, usage, usd) => {
    const { billing } = await chatted({ ...tokens, ...usage }, {}, {}, { dialect: 'openrouter' });
    expect(billing?.usd).toBe(usd);
  });

  test('from other servers `cost` may mean anything', async () => {
    expect((await chatted({ ...tokens, cost: 3 })).billing).toBeUndefined();
  });

  test.each<[string, Json, Json, string[]]>([
    ['a cited page was searched for', tokens, { annotations: [{ type: 'url_citation' }] }, ['web_search']],
    ['sources that xAI has read', { ...tokens, num_sources_used: 4 }, {}, ['web_search']],
    ['audio', { ...tokens, completion_tokens_details: { audio_tokens: 8 } }, {}, ['audio']],
  ])('not in the price: %s', async (_name, usage, more, unpriced) => {
    expect((await chatted(usage, {}, more)).billing).toEqual({ unpriced });
  });
});

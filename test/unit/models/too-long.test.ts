import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../shared/agent/session/reply.ts';
import { tooLongOf } from '../../../shared/models/common/too-long.ts';
import { callModel, callOpenai, failureOf, modelRequest } from '../../support/model-call.ts';
import { messageStart, openBlock, text } from '../../support/model-events.ts';
import { apiError, modelServer, reply, type Step, status } from '../../support/model-server.ts';
import { says, wire } from '../../support/openai-events.ts';

async function askedOfAnthropic(step: Step): Promise<Failure> {
  await using server = await modelServer(step);
  return failureOf((await callModel(server.url)).outcome);
}

async function askedOfOpenai(step: Step, said = 'What time is it in Lisbon?'): Promise<Failure> {
  await using server = await modelServer(step);
  const request = modelRequest({
    provider: 'openai',
    messages: [{ role: 'user', content: [{ type: 'text', text: said }] }],
  });
  return failureOf((await callOpenai(server.url, { request })).outcome);
}

const invalid = (message: string) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_1',
});
const openai = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

describe('a request that is too long, in the errors of the Messages API and its gateways', () => {
  test.each<[string, number, object, object]>([
    [
      'tokens of the prompt',
      400,
      invalid('prompt is too long: 213462 tokens > 200000 maximum'),
      { sent: 213_462, most: 200_000 },
    ],
    [
      'tokens of prompt and reply',
      400,
      invalid(
        'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
      ),
      { sent: 207_951, most: 200_000 },
    ],
    ['no numbers', 400, invalid('Request size exceeds model context window'), {}],
    [
      'bytes',
      413,
      {
        type: 'error',
        error: {
          type: 'request_too_large',
          message: 'Request exceeds the maximum allowed number of bytes.',
        },
      },
      {},
    ],
    ['a body that a proxy refuses', 413, {}, {}],
    ['Bedrock’s InvokeModel', 400, { message: 'Input is too long for requested model.' }, {}],
    [
      'vLLM under this API',
      400,
      {
        type: 'error',
        error: {
          type: 'BadRequestError',
          message:
            "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 99072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=99073)",
        },
      },
      { sent: 131_073, most: 131_072 },
    ],
  ])('H13: %s', async (_what, code, body, numbers) => {
    const failure = await askedOfAnthropic(status(code, {}, body));
    expect(failure).toEqual({
      kind: 'too_long',
      code: 'context_limit',
      message: expect.stringContaining(`The model server answered ${code} `),
      ...numbers,
    });
  });

  test('H13: in the middle of a stream', async () => {
    const error = invalid('prompt is too long: 213462 tokens > 200000 maximum');
    expect(
      await askedOfAnthropic(reply([messageStart(), ...openBlock(text('Half'), 0), error])),
    ).toMatchObject({ kind: 'too_long', sent: 213_462, most: 200_000 });
  });
});

describe('a request that is too long, in the errors of OpenAI-compatible servers', () => {
  test.each<[string, number, object, object]>([
    [
      'OpenAI',
      400,
      openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
        { param: 'messages', code: 'context_length_exceeded' },
      ),
      { sent: 204_308, most: 128_000 },
    ],
    [
      'OpenAI, for its newer models',
      400,
      openai(
        'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
        { code: 'context_length_exceeded' },
      ),
      { sent: 289_650, most: 272_000 },
    ],
    [
      'OpenAI, without numbers',
      400,
      openai('Your input exceeds the context window of this model. Please adjust your input and try again.'),
      {},
    ],
    [
      'OpenAI, for one message',
      400,
      openai(
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 10800120 instead.",
        { code: 'string_above_max_length' },
      ),
      {},
    ],
    [
      'OpenAI, for one request over the limit of a minute',
      429,
      openai(
        'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 31435. The input or output tokens must be reduced in order to run successfully.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
      { sent: 31_435, most: 30_000 },
    ],
    [
      'Azure',
      400,
      openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens (129000 in the messages, 1123 in the functions). Please reduce the length of the messages or functions.",
        { code: 'context_length_exceeded' },
      ),
      { sent: 130_123, most: 128_000 },
    ],
    [
      'OpenRouter',
      400,
      {
        error: {
          message:
            "This endpoint's maximum context length is 262000 tokens. However, you requested about 263390 tokens (658 of text input, 732 of tool input, 262000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
          code: 400,
          metadata: { provider_name: null },
        },
      },
      { sent: 263_390, most: 262_000 },
    ],
    [
      'OpenRouter, for a server behind it',
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            raw: '{"error":{"message":"This model\'s maximum context length is 262144 tokens. However, your messages resulted in 262897 tokens. Please reduce the length of the messages.","type":"Bad Request","code":400}}',
            provider_name: 'Nvidia',
          },
        },
      },
      { sent: 262_897, most: 262_144 },
    ],
    [
      'vLLM, flat',
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion). Please reduce the length of the messages or completion. None",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      { sent: 19_591, most: 16_384 },
    ],
    [
      'vLLM, newer',
      400,
      openai(
        "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=134145)",
        { type: 'BadRequestError', code: 400 },
      ),
      { sent: 262_145, most: 262_144 },
    ],
    [
      'vLLM, for the reply’s limit',
      400,
      openai(
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 65536 tokens and your request has 57879 input tokens (8192 > 65536 - 57879). None",
        { type: 'BadRequestError', code: 400 },
      ),
      { sent: 66_071, most: 65_536 },
    ],
    [
      'vLLM’s engine',
      500,
      openai(
        'The decoder prompt (length 21535) is longer than the maximum model length of 16384. Make sure that `max_model_len` is no smaller than the number of text tokens.',
      ),
      { sent: 21_535, most: 16_384 },
    ],
    [
      'SGLang',
      400,
      {
        object: 'error',
        message: "The input (400013 tokens) is longer than the model's context length (262144 tokens).",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      { sent: 400_013, most: 262_144 },
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message:
            'request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9412,
          n_ctx: 8192,
        },
      },
      { sent: 9_412, most: 8_192 },
    ],
    [
      'llama.cpp, older',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 13_392,
          n_ctx: 8_192,
        },
      },
      { sent: 13_392, most: 8_192 },
    ],
    [
      'LM Studio',
      400,
      {
        error:
          'Trying to keep the first 4632 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
      },
      { sent: 4_632, most: 4_096 },
    ],
    ['Ollama', 400, openai('prompt too long; exceeded max context length by 100918 tokens'), {}],
    [
      'Mistral',
      400,
      {
        object: 'error',
        message:
          'Prompt contains 159202 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
        type: 'invalid_request_invalid_args',
        param: null,
        code: '3051',
        raw_status_code: 400,
      },
      { sent: 159_202, most: 131_072 },
    ],
    [
      'Groq',
      400,
      openai('Please reduce the length of the messages or completion.', {
        param: 'messages',
        code: 'context_length_exceeded',
      }),
      {},
    ],
    [
      'Groq, for one request over the limit of a minute',
      413,
      openai(
        'Request too large for model `llama-3.1-8b-instant` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
      { sent: 12_328, most: 6_000 },
    ],
    [
      'Cerebras',
      400,
      openai(
        'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
        { code: 'context_length_exceeded' },
      ),
      { sent: 42_328, most: 40_000 },
    ],
    [
      'DeepSeek',
      400,
      openai(
        "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
        { code: 'invalid_request_error' },
      ),
      { sent: 131_134, most: 131_072 },
    ],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      { sent: 537_812, most: 131_072 },
    ],
    [
      'Gemini',
      400,
      [
        {
          error: {
            code: 400,
            message:
              'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      { sent: 1_200_293, most: 1_048_576 },
    ],
    [
      'Bedrock',
      400,
      {
        message:
          'ValidationException: The model returned the following errors: Input is too long for requested model.',
      },
      {},
    ],
    [
      'Together',
      422,
      openai(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 3500 `inputs` tokens and 1000 `max_new_tokens`',
      ),
      { sent: 4_500, most: 4_097 },
    ],
    [
      'Fireworks',
      400,
      {
        error: {
          object: 'error',
          type: 'invalid_request_error',
          code: 'invalid_request_error',
          message: 'The prompt is too long: 40177, model maximum context length: 32767',
        },
      },
      { sent: 40_177, most: 32_767 },
    ],
    [
      'Cohere',
      400,
      {
        message:
          'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
      },
      { sent: 6_354, most: 2_048 },
    ],
    [
      'Moonshot',
      400,
      openai('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
      { sent: 300_000, most: 262_144 },
    ],
    [
      'DashScope',
      400,
      openai('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]'),
      { most: 129_024 },
    ],
    [
      'LiteLLM',
      400,
      openai(
        'litellm.BadRequestError: OpenAIException - {"error":{"message":"You passed 98305 input tokens and requested 32768 output tokens. However, the model\'s context length is only 131072 tokens, resulting in a maximum input length of 98304 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}. Received Model Group=nemotron\nAvailable Model Group Fallbacks=None',
        { type: null, code: '400' },
      ),
      { sent: 131_073, most: 131_072 },
    ],
  ])('H13: %s', async (_who, code, body, numbers) => {
    expect(await askedOfOpenai(status(code, {}, body))).toEqual({
      kind: 'too_long',
      code: 'context_limit',
      message: expect.stringContaining(`The model server answered ${code} `),
      ...numbers,
    });
  });

  test('H13: in the middle of a stream', async () => {
    const error = openai(
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
    );
    expect(await askedOfOpenai(reply([...says('Half'), wire(error)]))).toMatchObject({
      kind: 'too_long',
      sent: 5_000,
      most: 4_096,
    });
  });
});

describe('an error that is not about length', () => {
  test.each<[string, number, object, string]>([
    [
      'an error that quotes user text',
      400,
      openai(
        'Invalid value for \'content\': "prompt is too long: 213462 tokens > 200000 maximum" is not an array',
      ),
      'fatal',
    ],
    [
      'a tool with such a name',
      400,
      openai("Invalid 'tools[0].function.name': string too long. Expected at most 64 characters."),
      'fatal',
    ],
    [
      'a reply limit beyond that of the model',
      400,
      openai('max_tokens is too large: 100000. This model supports at most 16384 completion tokens'),
      'fatal',
    ],
    [
      'too many requests',
      429,
      openai(
        'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
        { code: 'rate_limit_exceeded' },
      ),
      'retry',
    ],
    [
      'Bedrock’s throttling',
      429,
      { message: 'ThrottlingException: Too many tokens, please wait before trying again.' },
      'retry',
    ],
    ['a billing error', 402, openai("This model's maximum context length is 10 tokens"), 'account'],
  ])('%s', async (_what, code, body, kind) => {
    expect(await askedOfOpenai(status(code, {}, body))).toMatchObject({ kind });
  });

  test('an error is too long although users have written the same words, which its message does not show', async () => {
    const words = 'prompt is too long: 213462 tokens > 200000 maximum';
    expect(await askedOfOpenai(status(400, {}, openai(words)), `What does "${words}" mean?`)).toEqual({
      kind: 'too_long',
      code: 'context_limit',
      message: 'The model server answered 400 invalid_request_error',
      sent: 213_462,
      most: 200_000,
    });
  });

  test.each([
    ['of names', 'aError: '.repeat(50_000)],
    ['of braces', '{"error":'.repeat(50_000)],
    ['of a beginning', `Request too large for ${'tokens per min (TPM): Limit '.repeat(50_000)}`],
    ['of digits', `prompt is too long: ${'9'.repeat(500_000)}`],
  ])('a message %s is checked no longer than an ordinary one', (_what, message) => {
    const before = process.cpuUsage().user;
    for (let times = 0; times < 100; times++) tooLongOf('bad', message);
    // Microseconds, for a hundred checks: backtracking would take minutes.
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });
});

describe('thinking that does not match', () => {
  test.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    'messages.3.content.13: Invalid signature in thinking block',
    'messages.5.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  ])('%s', async (message) => {
    expect(await askedOfAnthropic(apiError(400, 'invalid_request_error', message))).toMatchObject({
      kind: 'thinking_mismatch',
      code: 'invalid_request_error',
    });
  });

  test.each([
    'messages.1.content.0: Input should be "Invalid signature in thinking block"',
    'tools.0.name: Invalid `signature` in `thinking` block',
  ])('is not an error that only quotes such an error: %s', async (message) => {
    expect(await askedOfAnthropic(apiError(400, 'invalid_request_error', message))).toMatchObject({
      kind: 'fatal',
    });
  });
});

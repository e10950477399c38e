/** Rules of the fields of a Chat Completions request. */

import { type ChatDialect, type Fault, type Fields, firstOf, isFields, type Rule } from '../rule.ts';
import type { GivenCalls } from './given.ts';
import { callsOf, chatOf } from './read.ts';

const DOCS = 'https://platform.openai.com/docs/api-reference/chat/create';

/** Servers that refuse a field they do not know. The others ignore it. */
const STRICT: readonly ChatDialect[] = ['openai', 'azure', 'mistral'];

const OPENAI = new Set(
  `model messages max_tokens max_completion_tokens stream stream_options tools tool_choice parallel_tool_calls
  temperature top_p n stop seed user metadata store response_format reasoning_effort verbosity frequency_penalty
  presence_penalty logit_bias logprobs top_logprobs modalities audio prediction service_tier web_search_options
  functions function_call prompt_cache_key prompt_cache_retention safety_identifier`.split(/\s+/),
);

const MISTRAL = new Set(
  `model messages max_tokens stream tools tool_choice parallel_tool_calls temperature top_p n stop
  random_seed metadata response_format reasoning_effort frequency_penalty presence_penalty prediction prompt_mode
  safe_prompt`.split(/\s+/),
);

/** Fields of a message, by its role. */
const MESSAGE: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  assistant: new Set([
    'role',
    'content',
    'name',
    'tool_calls',
    'refusal',
    'audio',
    'function_call',
    'prefix',
  ]),
  tool: new Set(['role', 'content', 'tool_call_id', 'name']),
};

const CALL = new Set(['id', 'type', 'function', 'index']);

const forbidden = (loc: readonly (string | number)[]): Fault => ({
  status: 422,
  message: `Extra inputs are not permitted: ${loc.join('.')}`,
  type: 'extra_forbidden',
});

/** How a server refuses a field that it does not know. */
const unknown = (dialect: string, param: string, loc: readonly (string | number)[]): Fault =>
  dialect === 'mistral'
    ? forbidden(loc)
    : { message: `Unknown parameter: '${param}'.`, code: 'unknown_parameter', param };

const unknownIn = (fields: Fields, known: ReadonlySet<string> | undefined): string | undefined =>
  known && Object.keys(fields).find((key) => !known.has(key));

export const fieldRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'the body has the fields of the API',
    source: 'https://github.com/nashsu/llm_wiki/issues/336',
    only: STRICT,
    check({ body, dialect }) {
      const key = unknownIn(body, dialect === 'mistral' ? MISTRAL : OPENAI);
      if (key === undefined) return undefined;
      return dialect === 'mistral'
        ? forbidden(['body', key])
        : { message: `Unrecognized request argument supplied: ${key}`, param: null };
    },
  },
  {
    name: 'a message has the fields of its role',
    source: 'https://github.com/charmbracelet/crush/issues/1590',
    only: STRICT,
    check: ({ body, dialect }) =>
      firstOf(chatOf(body), (message, at) => {
        const key = unknownIn(message, MESSAGE[String(message.role)]);
        return key === undefined
          ? undefined
          : unknown(dialect, `messages[${at}].${key}`, ['body', 'messages', at, String(message.role), key]);
      }),
  },
  {
    name: 'a call has the fields of a call',
    source: 'https://github.com/charmbracelet/crush/issues/1590',
    only: STRICT,
    check: ({ body, dialect }) =>
      firstOf(chatOf(body), (message, at) =>
        firstOf(callsOf(message), (call, i) => {
          const key = unknownIn(call, CALL);
          return key === undefined
            ? undefined
            : unknown(dialect, `messages[${at}].tool_calls[${i}].${key}`, [
                ...['body', 'messages', at, 'assistant', 'tool_calls', i, key],
              ]);
        }),
      ),
  },
  {
    name: 'the model is named',
    source: DOCS,
    check: ({ body: { model } }) =>
      typeof model === 'string' && model !== '' ? undefined : 'you must provide a model parameter',
  },
  {
    name: 'limits of tokens are whole numbers above 0',
    source: DOCS,
    check: ({ body }) =>
      firstOf(['max_tokens', 'max_completion_tokens'], (param) => {
        const most = body[param];
        if (most === undefined || most === null) return undefined;
        if (!Number.isInteger(most))
          return {
            message: `Invalid type for '${param}': expected an integer, but got a decimal number instead.`,
            code: 'invalid_type',
            param,
          };
        return Number(most) > 0
          ? undefined
          : {
              message: `Invalid '${param}': integer below minimum value. Expected a value >= 1, but got ${most} instead.`,
              code: 'integer_below_min_value',
              param,
            };
      }),
  },
  {
    name: 'a reasoning model takes max_completion_tokens',
    source: 'https://github.com/openai/openai-python/issues/2046',
    only: ['openai', 'azure'],
    check: ({ body: { model, max_tokens } }) =>
      max_tokens !== undefined && /^(o\d|gpt-5)/.test(String(model))
        ? {
            message:
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            code: 'unsupported_parameter',
            param: 'max_tokens',
          }
        : undefined,
  },
  {
    name: 'stream_options come with stream',
    source: DOCS,
    check: ({ body: { stream, stream_options: options } }) =>
      isFields(options) && stream !== true
        ? {
            message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            param: 'stream_options',
          }
        : undefined,
  },
];

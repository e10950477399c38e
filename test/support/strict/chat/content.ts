/** Rules of the messages in Chat Completions. */

import { tooLong } from '../limits.ts';
import { type Fault, firstOf, isFields, type Rule } from '../rule.ts';
import type { GivenCalls } from './given.ts';
import { callsOf, chatOf, functionOf, inCalls } from './read.ts';

const isEmpty = (content: unknown): boolean =>
  content === undefined ||
  content === null ||
  content === '' ||
  (Array.isArray(content) && content.length === 0);

export const contentRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'an assistant’s message has text or calls',
    source: 'https://github.com/MoonshotAI/kimi-code/issues/1985',
    check: ({ body, dialect }) =>
      firstOf(chatOf(body), (message, at): Fault | undefined => {
        if (message.role !== 'assistant' || callsOf(message).length > 0 || !isEmpty(message.content))
          return undefined;
        if (dialect === 'kimi')
          return `Invalid request: the message at position ${at} with role 'assistant' must not be empty`;
        if (dialect === 'mistral')
          return 'Assistant message must have either content or tool_calls, but not none.';
        return {
          message: "Invalid value for 'content': expected a string, got null.",
          param: `messages.[${at}].content`,
        };
      }),
  },
  {
    name: 'a user’s message has content',
    source: 'https://github.com/MoonshotAI/kimi-code/issues/1985',
    check: ({ body, dialect }) =>
      firstOf(chatOf(body), ({ role, content }, at) => {
        if (role !== 'user' || !isEmpty(content)) return undefined;
        return dialect === 'kimi'
          ? `Invalid request: the message at position ${at} with role 'user' must not be empty`
          : {
              message: `Invalid 'messages[${at}].content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
              param: `messages[${at}].content`,
            };
      }),
  },
  {
    name: 'a result has content',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      firstOf(chatOf(body), ({ role, content }, at) =>
        role === 'tool' && (content === undefined || content === null)
          ? {
              message: `Missing required parameter: 'messages[${at}].content'.`,
              code: 'missing_required_parameter',
              param: `messages[${at}].content`,
            }
          : undefined,
      ),
  },
  {
    name: 'tool_calls are absent, or some',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      firstOf(chatOf(body), ({ tool_calls: calls }, at) =>
        Array.isArray(calls) && calls.length === 0
          ? {
              message: `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
              code: 'empty_array',
              param: `messages[${at}].tool_calls`,
            }
          : undefined,
      ),
  },
  {
    name: 'the arguments of a call are text',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      inCalls(body, ({ message, at, call }) => {
        const param = `messages[${message}].tool_calls[${at}].function.arguments`;
        return typeof functionOf(call).arguments === 'string'
          ? undefined
          : { message: `Invalid type for '${param}': expected a string.`, code: 'invalid_type', param };
      }),
  },
  {
    name: 'the arguments of a call are a JSON object',
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    only: ['gemini', 'vllm', 'ollama'],
    check: ({ body }) =>
      inCalls(body, ({ call }) =>
        isObject(String(functionOf(call).arguments))
          ? undefined
          : `Value looks like object, but can't find closing '}' symbol in the arguments of ${functionOf(call).name}`,
      ),
  },
  {
    name: 'a text has at most 10,485,760 characters',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    only: ['openai', 'azure'],
    check: ({ body }) =>
      firstOf(chatOf(body), ({ content }, at) =>
        typeof content === 'string' && content.length > 10_485_760
          ? tooLong(`messages[${at}].content`, 10_485_760, content)
          : undefined,
      ),
  },
];

function isObject(json: string): boolean {
  try {
    return isFields(JSON.parse(json));
  } catch {
    return false;
  }
}

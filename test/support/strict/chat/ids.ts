/** Formats of call ids. */

import { tooLong } from '../limits.ts';
import { firstOf, type Rule } from '../rule.ts';
import type { GivenCalls } from './given.ts';
import { chatOf, functionOf, inCalls } from './read.ts';

export const idRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'a call has an id',
    source: 'https://github.com/ollama/ollama/issues/7881',
    check: ({ body }) =>
      inCalls(body, ({ message, at, call }) =>
        typeof call.id === 'string' && call.id !== ''
          ? undefined
          : {
              message: `Missing required parameter: 'messages[${message}].tool_calls[${at}].id'.`,
              code: 'missing_required_parameter',
              param: `messages[${message}].tool_calls[${at}].id`,
            },
      ),
  },
  {
    name: 'the id of a call has at most 40 characters',
    source: 'https://github.com/microsoft/autogen/issues/6377',
    only: ['openai', 'azure'],
    check: ({ body }) =>
      inCalls(body, ({ message, at, call }) => {
        const param = `messages[${message}].tool_calls[${at}].id`;
        const { length } = String(call.id);
        return length <= 40 ? undefined : tooLong(param, 40, call.id);
      }),
  },
  {
    name: 'the id of a call is nine letters and digits',
    source: 'https://github.com/langchain-ai/langchain/issues/24668',
    only: ['mistral'],
    check({ body }) {
      const wrong = (id: unknown) =>
        /^[a-zA-Z0-9]{9}$/.test(String(id))
          ? undefined
          : {
              message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
              code: '3280',
            };
      return (
        inCalls(body, ({ call }) => wrong(call.id)) ??
        firstOf(chatOf(body), ({ role, tool_call_id }) => (role === 'tool' ? wrong(tool_call_id) : undefined))
      );
    },
  },
  {
    name: 'the id of a call is functions.<name>:<n>',
    // The real server accepts other ids, but its model then stops calling tools. A test could not see that, so they are
    // refused here.
    source: 'https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md',
    only: ['kimi'],
    check: ({ body }) =>
      inCalls(body, ({ call }) => {
        const { name } = functionOf(call);
        const [prefix, n = ''] = String(call.id).split(':');
        return prefix === `functions.${name}` && /^\d+$/.test(n)
          ? undefined
          : `Invalid request: tool call id ${call.id} is not of the form functions.${name}:<n>`;
      }),
  },
];

/** Order rules of Chat Completions: which message may follow which, and which result belongs to which call. */

import { type Fault, firstOf, type Rule } from '../rule.ts';
import type { GivenCalls } from './given.ts';
import { answersAfter, callsOf, chatOf } from './read.ts';

/** As reported in https://github.com/datapizza-labs/datapizza-ai/issues/98. */
const mistralOrder = (message: string): Fault => ({
  message,
  type: 'invalid_request_message_order',
  code: '3230',
});

export const orderRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'there is a message',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      chatOf(body).length > 0
        ? undefined
        : {
            message:
              "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            code: 'empty_array',
            param: 'messages',
          },
  },
  {
    name: 'a role is one of the API',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    check: ({ body }) =>
      firstOf(chatOf(body), ({ role }, at) =>
        ['system', 'developer', 'user', 'assistant', 'tool'].includes(String(role))
          ? undefined
          : {
              message: `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
              code: 'invalid_value',
              param: `messages[${at}].role`,
            },
      ),
  },
  {
    name: 'every call is answered right after its message',
    source: 'https://github.com/agno-agi/agno/issues/3105',
    check({ body, dialect }) {
      const messages = chatOf(body);
      return firstOf(messages, (message, at): Fault | undefined => {
        const answers = answersAfter(messages, at);
        const open = callsOf(message).filter(
          ({ id }) => !answers.some(({ tool_call_id }) => tool_call_id === id),
        );
        if (open.length === 0) return undefined;
        if (dialect === 'mistral') return mistralOrder('Not the same number of function calls and responses');
        const ids = open.map(({ id }) => id).join(', ');
        return {
          message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`,
          param: `messages.[${at + 1}].role`,
        };
      });
    },
  },
  {
    name: 'every result follows its call',
    source: 'https://github.com/agno-agi/agno/issues/3105',
    check({ body, dialect }) {
      const messages = chatOf(body);
      return firstOf(messages, ({ role, tool_call_id: id }, at): Fault | undefined => {
        if (role !== 'tool') return undefined;
        const asked = messages.slice(0, at).findLast((before) => before.role !== 'tool');
        if (asked && callsOf(asked).some((call) => call.id === id)) return undefined;
        const before = asked?.role ?? 'system';
        if (dialect === 'mistral' && before !== 'assistant')
          return mistralOrder(`Unexpected role 'tool' after role '${before}'`);
        if (dialect === 'mistral') return mistralOrder('Not the same number of function calls and responses');
        if (dialect === 'kimi') return `Invalid request: tool_call_id ${id} is not found`;
        return {
          message:
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param: `messages.[${at}].role`,
        };
      });
    },
  },
  {
    name: 'a call has one result',
    source: 'https://github.com/mistralai/client-ts/issues/106',
    check({ body, dialect }) {
      const messages = chatOf(body);
      return firstOf(messages, (message, at): Fault | undefined => {
        if (callsOf(message).length === 0) return undefined;
        const ids = answersAfter(messages, at).map(({ tool_call_id }) => tool_call_id);
        const twice = ids.find((id, i) => ids.indexOf(id) !== i);
        if (twice === undefined) return undefined;
        return dialect === 'mistral'
          ? mistralOrder('Not the same number of function calls and responses')
          : `Duplicate value for 'tool_call_id' of '${twice}' in message[${at + 1}]`;
      });
    },
  },
  {
    name: 'no user message comes right after a result',
    source: 'https://github.com/zed-industries/zed/issues/31736',
    only: ['mistral'],
    check({ body }) {
      const messages = chatOf(body);
      return firstOf(messages, ({ role }, at) =>
        role === 'user' && messages[at - 1]?.role === 'tool'
          ? mistralOrder("Unexpected role 'user' after role 'tool'")
          : undefined,
      );
    },
  },
  {
    name: 'the last message is not the assistant’s',
    source: 'https://github.com/0xPlaygrounds/rig/pull/1130',
    only: ['mistral'],
    check({ body }) {
      const last = chatOf(body).at(-1);
      return last?.role === 'assistant' && last.prefix !== true
        ? {
            message:
              'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
            ...{ type: 'invalid_request_message_order', code: '3230' },
          }
        : undefined;
    },
  },
  {
    name: 'calls follow a user’s message or a result',
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    only: ['gemini'],
    check({ body }) {
      const messages = chatOf(body);
      return firstOf(messages, (message, at) => {
        const before = messages[at - 1]?.role;
        return callsOf(message).length > 0 && before !== 'user' && before !== 'tool'
          ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
          : undefined;
      });
    },
  },
];

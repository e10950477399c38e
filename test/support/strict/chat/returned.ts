/** Fields that a server gave with its calls, and wants back with them. */

import { type Fields, firstOf, type Rule } from '../rule.ts';
import { type GivenCalls, signatureOf } from './given.ts';
import { callsOf, chatOf, functionOf, inCalls } from './read.ts';

/** The message of the server whose calls this assistant's message repeats. */
const givenOf = (message: Fields, given: GivenCalls): Fields | undefined =>
  callsOf(message)
    .map(({ id }) => given.message(id))
    .find((one) => one !== undefined);

const missingSignature = (message: number, call: Fields) =>
  `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${functionOf(call).name}\` , position ${message + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;

export const returnedRules: readonly Rule<GivenCalls>[] = [
  {
    name: 'a call comes back with its thought_signature',
    source: 'https://github.com/securo-finance/securo/issues/884',
    only: ['gemini'],
    check: ({ body, given }) =>
      inCalls(body, ({ message, call }) => {
        const gave = given?.call(call.id);
        const wanted = gave && signatureOf(gave);
        return wanted !== undefined && signatureOf(call) !== wanted
          ? missingSignature(message, call)
          : undefined;
      }),
  },
  {
    name: 'in the turn that goes on, the first call of each step has a thought_signature, its own or the dummy',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures#faqs',
    only: ['gemini'],
    check({ body, given }) {
      if (!given?.signs) return undefined;
      const messages = chatOf(body);
      const turn = messages.findLastIndex(({ role }) => role === 'user');
      return firstOf(messages, (message, at) => {
        const [first] = callsOf(message);
        return at > turn && first && signatureOf(first) === undefined
          ? missingSignature(at, first)
          : undefined;
      });
    },
  },
  {
    name: 'a message with calls comes back with its reasoning_content',
    source: 'https://github.com/langgenius/dify-official-plugins/issues/2306',
    only: ['deepseek', 'kimi'],
    check({ body, given, dialect }) {
      if (!given?.thinks) return undefined;
      return firstOf(chatOf(body), (message, at) => {
        if (callsOf(message).length === 0) return undefined;
        const gave = givenOf(message, given)?.reasoning_content;
        const sent = message.reasoning_content;
        if (typeof sent === 'string' && sent !== '' && (!gave || gave === sent)) return undefined;
        return dialect === 'kimi'
          ? `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`
          : `Missing \`reasoning_content\` field in the assistant message at message index ${at}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`;
      });
    },
  },
  {
    name: 'a message with calls comes back with its reasoning_details',
    source: 'https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning',
    only: ['openrouter'],
    check({ body, given }) {
      if (!given) return undefined;
      return firstOf(chatOf(body), (message, at) => {
        const gave = givenOf(message, given)?.reasoning_details;
        return gave !== undefined && JSON.stringify(message.reasoning_details) !== JSON.stringify(gave)
          ? `messages.${at}: \`reasoning_details\` of the assistant message were changed. They must remain as they were in the original response.`
          : undefined;
      });
    },
  },
];

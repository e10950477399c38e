/** Order rules of the Messages API: which message may follow which, and which result belongs to which call. */

import { firstOf, type Rule } from '../rule.ts';
import type { GivenBlocks } from './given.ts';
import { isCall, isResult, messagesOf } from './read.ts';

const TOOL_USE_DOCS =
  'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#handling-results-from-client-tools';

const unanswered = (message: number, ids: readonly unknown[]) =>
  `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;

export const orderRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'there is a message, and the first is the user’s',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check({ body }) {
      const first = messagesOf(body)[0];
      if (!first) return 'messages: at least one message is required';
      return first.role === 'user' ? undefined : 'messages: first message must use the "user" role';
    },
  },
  {
    name: 'a message is the user’s or the assistant’s',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ role }, at) =>
        role === 'user' || role === 'assistant'
          ? undefined
          : `messages.${at}.role: Input should be 'user' or 'assistant'`,
      ),
  },
  {
    name: 'every call is answered in the next message',
    source: 'https://github.com/anthropics/claude-code/issues/3512',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, ({ role, content }, at) => {
        if (role !== 'assistant') return undefined;
        const next = messages[at + 1];
        const answered = next?.role === 'user' ? next.content.filter(isResult) : [];
        const open = content
          .filter(isCall)
          .filter(({ id }) => !answered.some(({ tool_use_id }) => tool_use_id === id));
        return open.length === 0
          ? undefined
          : unanswered(
              at,
              open.map(({ id }) => id),
            );
      });
    },
  },
  {
    name: 'results come first in their message',
    source: TOOL_USE_DOCS,
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ content }, at) => {
        const other = content.findIndex((block) => !isResult(block));
        const late = other < 0 ? [] : content.slice(other).filter(isResult);
        return late.length === 0
          ? undefined
          : unanswered(
              at - 1,
              late.map(({ tool_use_id }) => tool_use_id),
            );
      }),
  },
  {
    name: 'every result has its call in the message before',
    source: 'https://github.com/anthropics/claude-code/issues/64383',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, ({ content }, at) => {
        const calls = messages[at - 1]?.content.filter(isCall) ?? [];
        return firstOf(content, (block, i) =>
          isResult(block) && !calls.some(({ id }) => id === block.tool_use_id)
            ? `messages.${at}.content.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
            : undefined,
        );
      });
    },
  },
  {
    name: 'a call has one result',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ content }, at) =>
        firstOf(content, (block, i) =>
          isResult(block) &&
          content.slice(0, i).some((other) => isResult(other) && other.tool_use_id === block.tool_use_id)
            ? `messages.${at}.content.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`
            : undefined,
        ),
      ),
  },
  {
    name: 'ids of calls are unique',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check({ body }) {
      const seen = new Set<unknown>();
      return firstOf(messagesOf(body), ({ content }, at) =>
        firstOf(content.filter(isCall), ({ id }) => {
          if (seen.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
          seen.add(id);
          return undefined;
        }),
      );
    },
  },
  {
    name: 'calls are the assistant’s, results the user’s',
    source: TOOL_USE_DOCS,
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ role, content }, at) => {
        if (role === 'user' && content.some(isCall))
          return `messages.${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
        if (role === 'assistant' && content.some(isResult))
          return `messages.${at}: \`tool_result\` blocks can only be in \`user\` messages`;
        return undefined;
      }),
  },
  {
    name: 'the last message is the user’s, but after a pause',
    source: 'https://github.com/coder/xum/issues/2266',
    check({ body, given }) {
      const last = messagesOf(body).at(-1);
      if (last?.role !== 'assistant') return undefined;
      const isPaused = given?.paused(last.content) !== undefined;
      if (isPaused || last.content.some(({ type }) => type === 'server_tool_use')) return undefined;
      return 'This model does not support assistant message prefill. The conversation must end with a user message.';
    },
  },
];

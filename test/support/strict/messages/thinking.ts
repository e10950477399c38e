/** Rules of thinking blocks. */

import { firstOf, isFields, type Rule } from '../rule.ts';
import { type GivenBlocks, isThought } from './given.ts';
import { inBlocks, isCall, messagesOf } from './read.ts';

const DOCS = 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking';

export const thinkingRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'a thought has its signature',
    source: 'https://github.com/anthropics/claude-code/issues/63284',
    check: ({ body }) =>
      inBlocks(body, ({ message, at, block }) => {
        const place = `messages.${message}.content.${at}`;
        if (block.type === 'redacted_thinking')
          return block.data ? undefined : `${place}.redacted_thinking.data: Field required`;
        if (block.type !== 'thinking') return undefined;
        if (typeof block.thinking !== 'string') return `${place}.thinking.thinking: Field required`;
        return block.signature ? undefined : `${place}.thinking.signature: Field required`;
      }),
  },
  {
    name: 'a thought is the assistant’s',
    source: DOCS,
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ role, content }, at) =>
        role === 'user' && content.some(isThought)
          ? `messages.${at}: \`thinking\` blocks can only be in \`assistant\` messages`
          : undefined,
      ),
  },
  {
    name: 'a thought is what the server has thought',
    source: 'https://github.com/anthropics/claude-code/issues/63284',
    check: ({ body, given }) =>
      given?.signs
        ? inBlocks(body, ({ message, at, block }) =>
            isThought(block) && !given.made(block)
              ? `messages.${message}.content.${at}: Invalid \`signature\` in \`thinking\` block`
              : undefined,
          )
        : undefined,
  },
  {
    name: 'a thought stays in the conversation that it was thought in',
    source: 'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking',
    check({ body, given }) {
      if (!given?.signs || !Array.isArray(body.messages)) return undefined;
      const messages = body.messages;
      return firstOf(messagesOf(body), ({ content }, message) => {
        const at = content.findIndex(
          (block) => isThought(block) && !given.boundTo(block, body, messages.slice(0, message)),
        );
        return at < 0
          ? undefined
          : `messages.${message}.content.${at}: Invalid signature in thinking block. The block is bound to a different conversation.`;
      });
    },
  },
  {
    name: 'with thinking by budget, the last turn with calls begins with a thought',
    source: DOCS,
    check({ body }) {
      const { thinking } = body;
      if (!isFields(thinking) || thinking.type !== 'enabled') return undefined;
      const messages = messagesOf(body);
      const at = messages.findLastIndex(({ role }) => role === 'assistant');
      const last = messages[at]?.content ?? [];
      const first = last[0];
      if (!first || !last.some(isCall) || isThought(first)) return undefined;
      return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
    },
  },
  {
    name: 'the budget of thinking leaves room for an answer',
    source: DOCS,
    check({ body: { thinking, max_tokens } }) {
      if (!isFields(thinking) || thinking.type !== 'enabled') return undefined;
      return Number(thinking.budget_tokens) < Number(max_tokens)
        ? undefined
        : '`max_tokens` must be greater than `thinking.budget_tokens`.';
    },
  },
];

/** Rules of the tools that the server runs itself. */

import { type Fields, firstOf, type Rule } from '../rule.ts';
import { type GivenBlocks, toolsOf } from './given.ts';
import { isCall, isResult, messagesOf, type WireMessage } from './read.ts';

const isServerCall = ({ type }: Fields): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';
const isServerResult = ({ type }: Fields): boolean =>
  type !== 'tool_result' && String(type).endsWith('_tool_result');

/** Whether its result follows in this message, or begins the assistant's next one. */
function isPaired(messages: readonly WireMessage[], message: number, { id }: Fields): boolean {
  const next = messages.slice(message + 1).find(({ role }) => role === 'assistant');
  return [...(messages[message]?.content ?? []), ...(next?.content ?? [])].some(
    (block) => isServerResult(block) && block.tool_use_id === id,
  );
}

/**
 * Whether the server may still answer: the turn is the last message, or its own calls were just answered and nothing
 * else was said.
 */
function isOpen(messages: readonly WireMessage[], message: number): boolean {
  const [next, ...more] = messages.slice(message + 1);
  if (!next) return true;
  const calls = messages[message]?.content.some(isCall);
  return calls === true && more.length === 0 && next.content.every(isResult);
}

export const serverToolRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'a call of the server has its result, but in a turn that goes on',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/1339',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, ({ content }, message) =>
        firstOf(content, (block) => {
          if (!isServerCall(block) || isPaired(messages, message, block) || isOpen(messages, message))
            return undefined;
          const name = String(block.name);
          return `messages.${message}: \`${name}\` tool use with id \`${block.id}\` was found without a corresponding \`${name}_tool_result\` block`;
        }),
      );
    },
  },
  {
    name: 'a result of the server has its call',
    source: 'https://github.com/anthropics/claude-code/issues/64383',
    check({ body }) {
      const seen = new Set<unknown>();
      return firstOf(messagesOf(body), ({ content }, message) =>
        firstOf(content, (block, at) => {
          if (isServerCall(block)) seen.add(block.id);
          if (!isServerResult(block) || seen.has(block.tool_use_id)) return undefined;
          return `messages.${message}.content.${at}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`;
        }),
      );
    },
  },
  {
    name: 'a paused turn is resumed with the tools that it was using',
    // The wording of the real server is not published.
    source:
      'https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools#the-server-side-loop-and-pause-turn',
    check({ body, given }) {
      const messages = messagesOf(body);
      const last = messages.at(-1);
      const tools = last?.role === 'assistant' ? given?.paused(last.content) : undefined;
      return tools === undefined || tools === toolsOf(body)
        ? undefined
        : `messages.${messages.length - 1}: a paused turn must be resumed with the \`tools\` that it began with`;
    },
  },
];

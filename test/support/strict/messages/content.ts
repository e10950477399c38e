/** Rules of messages and their blocks in the Messages API. */

import { type Fields, firstOf, isFields, type Rule, unknownKey } from '../rule.ts';
import type { GivenBlocks } from './given.ts';
import { inBlocks, messagesOf } from './read.ts';

/** Fields of the blocks that a client writes. Blocks that only the server makes are not checked. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  server_tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
};

/** Other kinds of blocks that a request may have. A server also accepts what it has made itself. */
const SERVER_MADE = /^(search_result|container_upload|compaction|fallback|mcp_tool_use|[a-z_]*_tool_result)$/;

const MESSAGE = new Set(['role', 'content']);

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

export const contentRules: readonly Rule<GivenBlocks>[] = [
  {
    name: 'a message has content, but for the last of the assistant',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check({ body }) {
      const messages = messagesOf(body);
      return firstOf(messages, ({ role, content, fields }, at) => {
        const isEmpty = content.length === 0 || fields.content === '';
        const isLast = at === messages.length - 1 && role === 'assistant';
        return isEmpty && !isLast
          ? `messages.${at}: all messages must have non-empty content except for the optional final assistant message`
          : undefined;
      });
    },
  },
  {
    name: 'a text is not empty',
    source: 'https://github.com/anthropics/claude-code/issues/59812',
    check: ({ body }) =>
      inBlocks(body, ({ block }) =>
        textsIn(block).some((text) => text === '')
          ? 'messages: text content blocks must be non-empty'
          : undefined,
      ),
  },
  {
    name: 'a text is more than blanks',
    source: 'https://github.com/anthropics/claude-code/issues/23440',
    check: ({ body }) =>
      inBlocks(body, ({ block }) =>
        textsIn(block).some((text) => text !== '' && isBlank(text))
          ? 'messages: text content blocks must contain non-whitespace text'
          : undefined,
      ),
  },
  {
    name: 'the system prompt has no empty text',
    source: 'https://github.com/anthropics/claude-code/issues/59812',
    check({ body: { system } }) {
      if (!Array.isArray(system)) return undefined;
      return system.some((block) => isFields(block) && isBlank(block.text))
        ? 'system: text content blocks must be non-empty'
        : undefined;
    },
  },
  {
    name: 'a message has the fields of a message',
    source: 'https://github.com/anthropics/anthropic-sdk-typescript/issues/857',
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ fields }, at) => {
        const key = unknownKey(fields, MESSAGE);
        return key === undefined ? undefined : `messages.${at}.${key}: Extra inputs are not permitted`;
      }),
  },
  {
    name: 'a block has the fields of its kind, or is the server’s own',
    source: 'https://github.com/anthropics/claude-code/issues/4378',
    check: ({ body, given }) =>
      inBlocks(body, ({ message, at, block }) => {
        const known = FIELDS[String(block.type)];
        const key = known && unknownKey(block, known);
        return key === undefined || given?.made(block)
          ? undefined
          : `messages.${message}.content.${at}.${block.type}.${key}: Extra inputs are not permitted`;
      }),
  },
  {
    name: 'a block is of a known kind, or the server’s own',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body, given }) =>
      inBlocks(body, ({ message, at, block }) => {
        const type = String(block.type);
        if (type in FIELDS || SERVER_MADE.test(type) || given?.made(block)) return undefined;
        return `messages.${message}.content.${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${Object.keys(FIELDS).join(', ')}`;
      }),
  },
  {
    name: 'a compaction has its text',
    source: 'https://platform.claude.com/docs/en/build-with-claude/compaction',
    check: ({ body }) =>
      inBlocks(body, ({ message, at, block }) =>
        block.type === 'compaction' && (typeof block.content !== 'string' || isBlank(block.content))
          ? `messages.${message}.content.${at}.compaction.content: Input should be a valid string`
          : undefined,
      ),
  },
  {
    name: 'the input of a call is an object',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      inBlocks(body, ({ message, at, block }) =>
        block.type === 'tool_use' && !isFields(block.input)
          ? `messages.${message}.content.${at}.tool_use.input: Input should be a valid dictionary`
          : undefined,
      ),
  },
  {
    name: 'the id of a call has letters, digits, _ and -',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      inBlocks(body, ({ message, at, block }) => {
        const field = block.type === 'tool_use' ? 'id' : block.type === 'tool_result' ? 'tool_use_id' : '';
        return field === '' || ID.test(String(block[field]))
          ? undefined
          : `messages.${message}.content.${at}.${block.type}.${field}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      }),
  },
  {
    name: 'the name of a call is one that a tool may have',
    source: 'https://platform.claude.com/docs/en/api/messages',
    check: ({ body }) =>
      inBlocks(body, ({ message, at, block }) =>
        block.type === 'tool_use' && !NAME.test(String(block.name))
          ? `messages.${message}.content.${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
          : undefined,
      ),
  },
];

/** Texts of a block: its own, and those in a result. */
function textsIn(block: Fields): readonly unknown[] {
  if (block.type === 'text') return [block.text];
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
  return block.content.filter((inner) => isFields(inner) && inner.type === 'text').map(({ text }) => text);
}

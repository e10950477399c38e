import type { Message, ModelRequest } from '../../agent/ports.ts';
import type { Block } from '../../agent/session/slots.ts';
import { isStreamed } from '../common/provider.ts';

/** The body of a request, and the headers that belong to it. */
export interface WireRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The request as the API wants it. Extra fields of the agent come first, so that they cannot replace ours, but for
 * `stream: false`; `betas` among them becomes the `anthropic-beta` header, as in the SDK's beta API.
 *
 * Breakpoints of the prompt cache are put here, not into history: the API does not compare them, so they may
 * move with every request while the prefix stays the same bytes.
 */
export function toBody(request: ModelRequest, cache: boolean): WireRequest {
  const { betas, ...extra } = request.request;
  const marked = cache && !('cache_control' in extra);
  const system = request.system === '' ? [] : [{ type: 'text', text: request.system }];
  return {
    headers: Array.isArray(betas) && betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {},
    body: {
      ...extra,
      model: request.model,
      max_tokens: request.maxTokens,
      stream: isStreamed(request),
      tools: unlessEmpty(marked ? markLast(request.tools) : request.tools),
      system: unlessEmpty(marked ? markLast(system) : system),
      messages: marked ? markMessages(request.messages) : request.messages,
    },
  };
}

/** A breakpoint finds an earlier entry at most 20 blocks back. */
const LOOKBACK = 15;

/**
 * Marks the end of history, where the next request will look, and a point before it, for steps that add more
 * blocks than a breakpoint looks back. With system and tools that makes the four that the API allows.
 */
function markMessages(messages: readonly Message[]): readonly Message[] {
  const blocks = messages.flatMap(({ content }) => content);
  const last = blocks.findLastIndex(isCacheable);
  const earlier = blocks.findLastIndex((block, at) => at <= last - LOOKBACK && isCacheable(block));
  let at = 0;
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((block) => {
      const here = at++;
      return here === last || here === earlier ? mark(block) : block;
    }),
  }));
}

/** Kinds of block that take a breakpoint: not thinking, not empty text, and none that we do not know. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
]);

function isCacheable(block: Block): boolean {
  return CACHEABLE.has(block.type) && (block.type !== 'text' || block.text !== '');
}

function markLast<T extends object>(items: readonly T[]): readonly T[] {
  return items.map((item, at) => (at === items.length - 1 ? mark(item) : item));
}

function mark<T extends object>(item: T): T {
  return { ...item, cache_control: { type: 'ephemeral' } };
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

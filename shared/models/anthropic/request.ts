import type { Lifetime } from '../../agent/config/cache.ts';
import { jsonOf } from '../../agent/plain/memoize.ts';
import type { Message, ModelRequest } from '../../agent/ports/provider.ts';
import { lifetimesOf } from '../../agent/session/cache.ts';
import type { Block } from '../../agent/session/slots.ts';
import { bodyWith } from '../common/body.ts';
import { isStreamed } from '../common/provider.ts';
import { withEditing } from './editing.ts';
import { withFitThinking } from './manual-thinking.ts';
import { toolsIn } from './server-tools.ts';

/** The body of a request, as JSON, and the headers that belong to it. */
export interface WireRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The request as the API takes it. The agent's extra fields come first, so that they cannot replace ours, except
 * `stream: false`; `betas` among them becomes the `anthropic-beta` header, as in the SDK's beta API.
 *
 * Breakpoints of the prompt cache are set here, not in history: the API does not compare them, so they may move with
 * every request while the prefix stays the same bytes. Messages without one are not serialized again. The agent's
 * `model.cache` sets how long each part is kept; a `cache_control` of its own in `request`, which turns on the API's
 * automatic caching, replaces our breakpoints.
 */
export function toBody(request: ModelRequest, cache: boolean): WireRequest {
  const { betas: own, ...extra } = request.request;
  const asked = { fields: extra, betas: Array.isArray(own) ? own : [] };
  const { fields: asking, betas } = withEditing(asked, request);
  const lifetimes = lifetimesOf(cache && !('cache_control' in extra) ? request.cache : false);
  const system = request.system === '' ? [] : [{ type: 'text', text: request.system }];
  const fields = {
    ...withFitThinking(asking, request.messages),
    model: request.model,
    max_tokens: request.maxTokens,
    stream: isStreamed(request),
    tools: unlessEmpty(markLast(toolsIn(request), lifetimes.tools)),
    system: unlessEmpty(markLast(system, lifetimes.system)),
  };
  return {
    headers: betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {},
    body: bodyWith(fields, markedTexts(request.messages, lifetimes.messages)),
  };
}

/** A breakpoint finds an earlier entry at most 20 blocks back. */
const LOOKBACK = 15;

/**
 * The messages as JSON. Breakpoints are set at the end of history, where the next request will look, and at a point
 * before it, for steps that add more blocks than a breakpoint looks back. Together with system and tools that makes the
 * four that the API allows.
 */
function markedTexts(messages: readonly Message[], lifetime: Lifetime): readonly string[] {
  if (lifetime === false) return messages.map(jsonOf);
  const marks = marksIn(messages);
  return messages.map((message, at) => {
    const here = marks.filter((mark) => mark.message === at);
    if (here.length === 0) return jsonOf(message);
    const isHere = (block: number) => here.some((mark) => mark.block === block);
    const content = message.content.map((block, i) => (isHere(i) ? mark(block, lifetime) : block));
    return JSON.stringify({ ...message, content });
  });
}

/** The place of a block, by indexes. */
interface BlockPlace {
  readonly message: number;
  readonly block: number;
}

/** Searches from the end, where both marks are, and does not read the blocks before them. */
function marksIn(messages: readonly Message[]): readonly BlockPlace[] {
  const marks: BlockPlace[] = [];
  let passed = LOOKBACK;
  for (let message = messages.length - 1; message >= 0; message--) {
    const content = messages[message]?.content ?? [];
    for (let at = content.length - 1; at >= 0; at--, passed++) {
      const block = content[at];
      if (passed < LOOKBACK || !block || !isCacheable(block)) continue;
      marks.push({ message, block: at });
      if (marks.length === 2) return marks;
      passed = 0;
    }
  }
  return marks;
}

/** Kinds of block that take a breakpoint: not thinking, not empty text, and no unknown kinds. */
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

function markLast<T extends object>(items: readonly T[], lifetime: Lifetime): readonly T[] {
  if (lifetime === false) return items;
  return items.map((item, at) =>
    at === items.length - 1 && mayBeMarked(item) ? mark(item, lifetime) : item,
  );
}

/** A tool that is loaded only when the model searches for it takes no breakpoint. */
const mayBeMarked = (item: object): boolean => !('defer_loading' in item && item.defer_loading === true);

function mark<T extends object>(item: T, lifetime: '5m' | '1h'): T {
  return { ...item, cache_control: { type: 'ephemeral', ...(lifetime === '1h' && { ttl: '1h' }) } };
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

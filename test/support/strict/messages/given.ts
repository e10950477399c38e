import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../rule.ts';

/** What a Messages server remembers of its own replies, as signatures let the real one do. */
export interface GivenBlocks {
  /**
   * Notes a reply.
   *
   * @param body the parsed request that it answered
   */
  took(body: Fields, content: readonly Fields[], stop: string | null | undefined): void;
  /** Whether it has ever signed a thought: before, it cannot judge one. */
  readonly signs: boolean;
  /** Whether it has made this very block. */
  made(block: Fields): boolean;
  /** The tools of the request whose turn it has paused with this content, as text; undefined when it has not. */
  paused(content: readonly Fields[]): string | undefined;
  /** Whether it thought this after a conversation that began with these messages. */
  boundTo(thought: Fields, body: Fields, messages: readonly unknown[]): boolean;
}

export function givenBlocks(): GivenBlocks {
  const made = new Set<string>();
  const paused = new Map<string, string>();
  const bound = new Set<string>();
  let signs = false;
  return {
    took(body, content, stop) {
      const before = prefixOf(body, body.messages);
      for (const block of content) {
        made.add(textOf(block));
        if (!isThought(block)) continue;
        signs = true;
        bound.add(`${textOf(block)} ${before}`);
      }
      if (stop === 'pause_turn') paused.set(textOf(content), toolsOf(body));
    },
    get signs() {
      return signs;
    },
    made: (block) => made.has(textOf(block)),
    paused: (content) => paused.get(textOf(content)),
    boundTo: (thought, body, messages) => bound.has(`${textOf(thought)} ${prefixOf(body, messages)}`),
  };
}

export const isThought = ({ type }: Fields): boolean => type === 'thinking' || type === 'redacted_thinking';

/** The tools of a request, for comparing. */
export const toolsOf = ({ tools }: Fields): string => textOf(tools ?? []);

/** Marks of the cache are not compared, nor is the order of keys. A value that is too deep to be written out counts as any other such. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value, (key, inner) => {
      if (key === 'cache_control') return undefined;
      return isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(byKey)) : inner;
    });
  } catch (error) {
    if (error instanceof RangeError) return 'too deep to be compared';
    throw error;
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** All that a thought is bound to: the system prompt, the tools and the messages before it. */
const prefixOf = ({ system, tools }: Fields, messages: unknown): string =>
  createHash('sha256')
    .update(textOf([system, tools, messages]))
    .digest('base64');

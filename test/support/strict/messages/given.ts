import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../rule.ts';

/** A Messages server's memory of its own replies, which the real one has through signatures. */
export interface GivenBlocks {
  /**
   * Records a reply.
   * @param body the parsed request that it answered
   */
  took(body: Fields, content: readonly Fields[], stop: string | null | undefined): void;
  /** Whether it has ever signed a thought. Before that it cannot judge one. */
  readonly signs: boolean;
  /** Whether it made exactly this block. */
  made(block: Fields): boolean;
  /** The tools of the request whose turn it paused with this content, as text; undefined if there is none. */
  paused(content: readonly Fields[]): string | undefined;
  /** Whether it had this thought after a conversation that began with these messages. */
  boundTo(thought: Fields, body: Fields, messages: readonly unknown[]): boolean;
}

export function givenBlocks(): GivenBlocks {
  const made = new Set<string>();
  const paused = new Map<string, string>();
  const bound = new Set<string>();
  let signs = false;
  return {
    took(body, content, stop) {
      for (const block of content) {
        made.add(textOf(block));
        if (!isThought(block)) continue;
        signs = true;
        bound.add(`${textOf(block)} ${prefixOf(body, body.messages)}`);
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

/** The tools of a request, for comparison. */
export const toolsOf = ({ tools }: Fields): string => textOf(tools ?? []);

/**
 * Cache markers and the order of keys are not compared. Values that are too deeply nested to be serialized count as
 * equal.
 */
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

/** Everything that a thought is bound to: the system prompt, the tools and the messages before it. */
const prefixOf = ({ system, tools }: Fields, messages: unknown): string =>
  createHash('sha256')
    .update(textOf([system, tools, messages]))
    .digest('base64');

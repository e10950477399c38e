import type { Delta } from './ports.ts';
import type { Reply } from './reply.ts';
import type { Block } from './slots.ts';

/**
 * Tells the thinking that some models write into their text, between `<think>` tags, from what they say (H19). Takes
 * the text in pieces of any size, so that a stream and its whole text are split alike.
 */
export interface ReasoningSplitter {
  push(text: string): Delta[];
  /** What was held back because it might have become a tag. */
  end(): Delta[];
}

const NAMES = ['think', 'thinking', 'reasoning'];
const OPEN = /<(?:think|thinking|reasoning)>/i;
const CLOSE = /<\/(?:think|thinking|reasoning)>/i;

export function reasoningSplitter(): ReasoningSplitter {
  let held = '';
  let last = '';
  let inside = false;
  /** Blank text right after a closing tag belongs to neither. */
  let afterTag = false;

  const emit = (said: string): Delta[] => {
    const text = afterTag ? said.trimStart() : said;
    if (text === '') return [];
    afterTag = false;
    last = text.slice(-1);
    return [{ kind: inside ? 'thinking' : 'text', text }];
  };
  const take = (length: number): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };

  return {
    push(text) {
      held += text;
      const pieces: Delta[] = [];
      for (;;) {
        const tag = (inside ? CLOSE : OPEN).exec(held);
        if (!tag) break;
        pieces.push(...emit(take(tag.index)));
        const written = take(tag[0].length);
        // A tag in backticks is spoken of, not used.
        if (!inside && last === '`') pieces.push(...emit(written));
        else {
          inside = !inside;
          afterTag = true;
          last = '';
        }
      }
      return [...pieces, ...emit(take(held.length - partialTag(held, inside).length))];
    },
    end: () => emit(take(held.length)),
  };
}

/** The end of `text` that may be the beginning of a tag. */
function partialTag(text: string, inside: boolean): string {
  const tail = text.slice(Math.max(0, text.lastIndexOf('<')));
  const tags = NAMES.map((name) => (inside ? `</${name}>` : `<${name}>`));
  return tail.startsWith('<') && tags.some((tag) => tag.startsWith(tail.toLowerCase())) ? tail : '';
}

/** The reply with tagged thinking taken out of its text and kept in `reasoning`. Untouched when there is none. */
export function separateReasoning(reply: Reply): Reply {
  const splitter = reasoningSplitter();
  const thought: string[] = [];
  const keep = (pieces: readonly Delta[]): string => {
    thought.push(...pieces.flatMap(({ kind, text }) => (kind === 'thinking' ? [text] : [])));
    return pieces.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('');
  };
  const content = reply.content.map(
    (block): Block =>
      block.type === 'text' ? { ...block, text: keep(splitter.push(String(block.text))) } : block,
  );
  const rest = keep(splitter.end());
  if (thought.length === 0) return reply;
  const closed = rest === '' ? content : appendText(content, rest);
  return { ...reply, content: closed, reasoning: thought.join('') };
}

function appendText(content: readonly Block[], rest: string): Block[] {
  const at = content.findLastIndex(({ type }) => type === 'text');
  return content.map((block, i) => (i === at ? { ...block, text: String(block.text) + rest } : block));
}

/** The model's own thinking blocks, as text. */
export const thinkingOf = (content: readonly Block[]): string =>
  content.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking ?? '')] : [])).join('\n');

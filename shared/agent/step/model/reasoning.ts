import type { Delta } from '../../ports/provider.ts';
import type { Reply } from '../../session/reply.ts';
import type { Block } from '../../session/slots.ts';

/**
 * Separates the thinking that some models write into their text, between `<think>` tags, from their answer. Takes the text in
 * pieces of any size, so that a stream and its whole text are split alike.
 */
export interface ReasoningSplitter {
  push(text: string): Delta[];
  /** Text that was held back because it might have become a tag. */
  end(): Delta[];
  /** Whether what comes next is thinking. */
  isOpen(): boolean;
}

const NAMES = ['think', 'thinking', 'reasoning'];
/** Characters that a tag may have after its name. */
const MAX_ATTRIBUTES = 100;
const TAG = new RegExp(`<(/?)(?:${NAMES.join('|')})(?:\\s[^<>]{0,${MAX_ATTRIBUTES}})?>`, 'i');
const PARTIAL = new RegExp(`^</?(?:${NAMES.join('|')})\\s[^<>]{0,${MAX_ATTRIBUTES}}$`, 'i');
/** Characters before a tag that thinking only mentions: a blank, a quote, a bracket. */
const SPOKEN_OF = /[ \t`"'(]/;

/** @param nests whether thinking may contain tags of its own, which end before it does */
export function reasoningSplitter(nests = true): ReasoningSplitter {
  let held = '';
  let last = '';
  /** Number of open tags. */
  let depth = 0;
  /** In a piece of code that began with a tag: `<think>…</think>`. */
  let inCode = false;
  /** Blank text right after a tag belongs to neither side. */
  let afterTag = false;

  const emit = (said: string): Delta[] => {
    const text = afterTag ? said.trimStart() : said;
    if (text === '') return [];
    afterTag = false;
    last = text.slice(-1);
    if (/[`\n]/.test(text)) inCode = false;
    return [{ kind: depth > 0 ? 'thinking' : 'text', text }];
  };
  const take = (length: number): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };
  /** A tag in backticks is mentioned, not used. A closing tag without an opening one is neither text nor thinking. */
  const isUsed = (closes: boolean): boolean => {
    if (depth === 0) return last !== '`' && !(closes && inCode);
    return closes || (nests && !SPOKEN_OF.test(last));
  };

  return {
    push(text) {
      held += text;
      const pieces: Delta[] = [];
      for (let tag = TAG.exec(held); tag; tag = TAG.exec(held)) {
        pieces.push(...emit(take(tag.index)));
        const written = take(tag[0].length);
        const closes = tag[1] === '/';
        if (!isUsed(closes)) {
          inCode = !closes && depth === 0;
          pieces.push(...emit(written));
        } else {
          depth = Math.max(0, depth + (closes ? -1 : 1));
          afterTag = true;
          last = '';
        }
      }
      return [...pieces, ...emit(take(held.length - partialTag(held).length))];
    },
    end: () => emit(take(held.length)),
    isOpen: () => depth > 0,
  };
}

/** The end of `text` that may be the beginning of a tag. */
function partialTag(text: string): string {
  const tail = text.slice(Math.max(0, text.lastIndexOf('<'))).toLowerCase();
  const begins = NAMES.some((name) => `<${name}`.startsWith(tail) || `</${name}`.startsWith(tail));
  return tail.startsWith('<') && (begins || PARTIAL.test(tail)) ? text.slice(-tail.length) : '';
}

/** The reply with tagged thinking taken out of its text and stored in `reasoning`. Unchanged if there is none. */
export function separateReasoning(reply: Reply): Reply {
  const [separated, isOpen] = separatedBy(reasoningSplitter(), reply);
  // Thinking that only mentioned a tag would otherwise swallow the answer.
  return isOpen ? separatedBy(reasoningSplitter(false), reply)[0] : separated;
}

function separatedBy(splitter: ReasoningSplitter, reply: Reply): [Reply, boolean] {
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
  const closed = rest === '' ? content : appendText(content, rest);
  const reasoning = thought.join('');
  return [{ ...reply, content: closed, ...(reasoning !== '' && { reasoning }) }, splitter.isOpen()];
}

function appendText(content: readonly Block[], rest: string): Block[] {
  const at = content.findLastIndex(({ type }) => type === 'text');
  return content.map((block, i) => (i === at ? { ...block, text: String(block.text) + rest } : block));
}

/** The model's own thinking blocks, as text. */
export const thinkingOf = (content: readonly Block[]): string =>
  content.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking ?? '')] : [])).join('\n');

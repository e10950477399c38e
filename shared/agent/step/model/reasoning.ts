import type { Delta } from '../../ports/provider.ts';
import type { Reply } from '../../session/reply.ts';
import type { Block } from '../../session/slots.ts';

/** The findings of a splitter. `all_thinking`: a closing tag came without its opening one, so all text before it was thinking. */
export type Piece = Delta | { readonly kind: 'all_thinking' };

/**
 * Separates the thinking that some models write into their text, between `<think>` tags, from their answer. Takes the text in
 * pieces of any size, so that a stream and its whole text are split alike.
 *
 * The opening tag may be missing: chat templates of DeepSeek R1 and Qwen put it into the prompt, so the reply has only the
 * closing one (ItzCrazyKns/Vane#1034). Models also end drafts in their answer with a lone closing tag (antirez/ds4#678).
 */
export interface ReasoningSplitter {
  push(text: string): Piece[];
  /** Text that was held back because it might have become a tag. */
  end(): Piece[];
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
  /** The text since the last tag. */
  let before = '';
  let hasText = false;
  /** Lone closing tags so far. */
  let lone = 0;

  const emit = (said: string): Piece[] => {
    const text = afterTag ? said.trimStart() : said;
    if (text === '') return [];
    afterTag = false;
    last = text.slice(-1);
    if (depth === 0) before += text;
    hasText ||= depth === 0;
    if (/[`\n]/.test(text)) inCode = false;
    return [{ kind: depth > 0 ? 'thinking' : 'text', text }];
  };
  const take = (length: number): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };
  const isMentioned = (): boolean => {
    lone += 1;
    return lone > MAX_LONE || isMentionedAfter(before);
  };
  /** A tag in backticks is mentioned, not used. */
  const isUsed = (closes: boolean): boolean => {
    if (depth === 0) return last !== '`' && !(closes && (inCode || isMentioned()));
    return closes || (nests && !SPOKEN_OF.test(last));
  };

  return {
    push(text) {
      held += text;
      const pieces: Piece[] = [];
      for (let tag = TAG.exec(held); tag; tag = TAG.exec(held)) {
        pieces.push(...emit(take(tag.index)));
        const written = take(tag[0].length);
        const closes = tag[1] === '/';
        if (!isUsed(closes)) {
          inCode = !closes && depth === 0;
          pieces.push(...emit(written));
        } else {
          if (closes && depth === 0 && hasText) {
            pieces.push({ kind: 'all_thinking' });
            hasText = false;
          }
          depth = Math.max(0, depth + (closes ? -1 : 1));
          afterTag = true;
          last = '';
          before = '';
        }
      }
      return [...pieces, ...emit(take(held.length - partialTag(held).length))];
    },
    end: () => emit(take(held.length)),
    isOpen: () => depth > 0,
  };
}

/**
 * Whether a closing tag after this text is only spoken of: in a block or piece of code, or after a blank, a quote or a bracket
 * that follows words in its line.
 */
function isMentionedAfter(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const isInline = line.trim() !== '' && SPOKEN_OF.test(line.slice(-1));
  return isInline || isOdd(line.split('`').length - 1) || isOdd((text.match(FENCE) ?? []).length);
}

/** Each lone closing tag looks at the text before it, so a text of many such tags would take long. */
const MAX_LONE = 200;
const FENCE = /^[ \t]*(?:```|~~~)/gm;
const isOdd = (count: number): boolean => count % 2 === 1;

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
  let said: { readonly kind: Delta['kind']; readonly text: string; readonly block: number }[] = [];
  const keep = (pieces: readonly Piece[], block: number) => {
    for (const piece of pieces) {
      if (piece.kind === 'all_thinking') said = said.map((one) => ({ ...one, kind: 'thinking' }));
      else said.push({ ...piece, block });
    }
  };
  for (const [at, { type, text }] of reply.content.entries())
    if (type === 'text') keep(splitter.push(String(text)), at);
  keep(
    splitter.end(),
    reply.content.findLastIndex(({ type }) => type === 'text'),
  );
  const join = (kind: Delta['kind'], block?: number) =>
    said
      .filter((one) => one.kind === kind && (block === undefined || one.block === block))
      .map(({ text }) => text)
      .join('');
  const content = reply.content.map(
    (block, at): Block => (block.type === 'text' ? { ...block, text: join('text', at) } : block),
  );
  const reasoning = join('thinking');
  return [{ ...reply, content, ...(reasoning.trim() !== '' && { reasoning }) }, splitter.isOpen()];
}

/** The model's own thinking blocks, as text. */
export const thinkingOf = (content: readonly Block[]): string =>
  content.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking ?? '')] : [])).join('\n');

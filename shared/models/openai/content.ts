import { defined } from '../../agent/plain/defined.ts';
import type { Delta } from '../../agent/ports/provider.ts';

/** A stretch of a model's plain content. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** The text between `<tool_call>` and `</tool_call>`, as it was written. */
  | { readonly kind: 'call'; readonly body: string }
  /** The text after a `<tool_call>` that was never closed. */
  | { readonly kind: 'open_call'; readonly body: string };

/** Splits streamed content into prose, reasoning between tags, and calls. */
export interface ContentReader {
  /** Takes the next piece of content. Returns what people may see now; tags and calls are not text. */
  write(piece: string): Delta[];
  /** Takes a piece of reasoning that the server sent apart from the content. */
  think(piece: string): Delta[];
  /** Ends the content: what was held back, because it might have become a tag, is text after all. */
  end(): Delta[];
  /** The parts so far. All their text has already been returned as a delta. */
  parts(): readonly Part[];
}

const CALL = { open: '<tool_call>', close: '</tool_call>' };
const THINK = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
];

type State =
  /** `fresh` until the stretch has its first visible character: a reasoning tag counts only there. */
  | { readonly in: 'prose'; readonly fresh: boolean }
  | { readonly in: 'thinking'; readonly close: string }
  /** `closed` is the position of the first closing tag that looked like a part of a JSON string. */
  | { readonly in: 'call'; readonly searched: number; readonly closed?: number };

/**
 * Reads content in pieces of any size: the size of the pieces does not change the result. White space around calls and
 * reasoning is dropped.
 *
 * @param calls whether the content may contain calls; if not, it stays text as it came, and the loop interprets its
 *   tags
 */
export function contentReader({ calls }: { readonly calls: boolean }): ContentReader {
  const parts: Part[] = [];
  let state: State = { in: 'prose', fresh: calls };
  let pending = '';
  let space = '';
  let ended = false;
  let deltas: Delta[] = [];

  const add = (kind: 'text' | 'thinking', text: string) => {
    if (text === '') return;
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else parts.push({ kind, text });
    deltas.push({ kind, text });
  };
  const addProse = (text: string) => {
    if (!calls) return add('text', text);
    const whole = space + text;
    const visible = whole.trimEnd();
    space = whole.slice(visible.length);
    // Stretches of text are one message to people: a call between two of them must not join their words.
    const apart = parts.at(-1)?.kind !== 'text' && parts.some(({ kind }) => kind === 'text') ? '\n\n' : '';
    if (visible !== '') add('text', apart + visible);
  };
  const enter = (next: State, rest: string) => {
    state = next;
    pending = rest;
    space = '';
  };

  /** Reads on; false if more content must come first. */
  const advance = (): boolean => {
    switch (state.in) {
      case 'prose':
        return state.fresh ? begin() : readProse();
      case 'thinking':
        return readThinking(state.close);
      case 'call':
        return readCall(state);
      default:
        return state satisfies never;
    }
  };

  const begin = (): boolean => {
    const start = pending.trimStart();
    const tag = THINK.find(({ open }) => start.startsWith(open));
    if (tag) {
      enter({ in: 'thinking', close: tag.close }, start.slice(tag.open.length));
      return true;
    }
    if (!ended && THINK.some(({ open }) => open.startsWith(start))) return false;
    enter({ in: 'prose', fresh: false }, start);
    return true;
  };

  const readProse = (): boolean => {
    const at = calls ? pending.indexOf(CALL.open) : -1;
    if (at >= 0) {
      addProse(pending.slice(0, at));
      enter({ in: 'call', searched: 0 }, pending.slice(at + CALL.open.length));
      return true;
    }
    const held = calls && !ended ? heldBack(pending, CALL.open) : 0;
    addProse(pending.slice(0, pending.length - held));
    pending = pending.slice(pending.length - held);
    return false;
  };

  const readThinking = (close: string): boolean => {
    const at = pending.indexOf(close);
    if (at >= 0) {
      add('thinking', pending.slice(0, at));
      enter({ in: 'prose', fresh: true }, pending.slice(at + close.length));
      return true;
    }
    const held = ended ? 0 : heldBack(pending, close);
    add('thinking', pending.slice(0, pending.length - held));
    pending = pending.slice(pending.length - held);
    return false;
  };

  const readCall = ({ searched, closed }: Extract<State, { in: 'call' }>): boolean => {
    const at = pending.indexOf(CALL.close, searched);
    if (at >= 0) {
      const body = pending.slice(0, at);
      if (endsInString(body)) {
        state = { in: 'call', searched: at + 1, closed: closed ?? at };
        return true;
      }
      return endCall({ kind: 'call', body }, at + CALL.close.length);
    }
    if (!ended) {
      const from = Math.max(searched, pending.length - CALL.close.length);
      state = { in: 'call', searched: from, ...defined({ closed }) };
      return false;
    }
    // No string in it ever ended, so the first closing tag was a real one.
    if (closed !== undefined) {
      return endCall({ kind: 'call', body: pending.slice(0, closed) }, closed + CALL.close.length);
    }
    return endCall({ kind: 'open_call', body: pending }, pending.length);
  };

  const endCall = (part: Part, end: number): boolean => {
    parts.push(part);
    enter({ in: 'prose', fresh: true }, pending.slice(end));
    return pending !== '';
  };

  const read = (): Delta[] => {
    deltas = [];
    while (advance());
    return deltas;
  };

  return {
    write(piece) {
      if (ended) return [];
      pending += piece;
      return read();
    },
    think(piece) {
      if (ended) return [];
      deltas = [];
      add('thinking', piece);
      return deltas;
    },
    end() {
      if (ended) return [];
      ended = true;
      return read();
    },
    parts: () => parts,
  };
}

/** How many characters at the end of `text` may be the beginning of `tag`. */
function heldBack(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** Whether this beginning of JSON ends in the middle of a string. */
function endsInString(json: string): boolean {
  let inside = false;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') inside = !inside;
    else if (inside && json[at] === '\\') at++;
  }
  return inside;
}

import type { Json } from '../common/json.ts';

type Kind = 'text' | 'thinking';

/** Writes the blocks of a reply as events of the Messages API. */
export interface BlockWriter {
  /** Adds to the last block if it is open and of this kind, and else begins one. */
  grow(kind: Kind, text: string): void;
  /** Writes a whole block, whose text comes in one piece. */
  whole(block: Json, text?: { readonly kind: Kind; readonly text: string }): void;
  /** Begins a block that never ends. */
  cut(block: Json): void;
  /** Ends the open block. */
  close(): void;
  /** Whether there is any block. */
  begun(): boolean;
  /** The events since the last call. */
  taken(): Json[];
}

export function blockWriter(): BlockWriter {
  let events: Json[] = [];
  let index = -1;
  let open: Kind | undefined;

  const start = (block: Json) => {
    close();
    index += 1;
    events.push({ type: 'content_block_start', index, content_block: block });
  };
  const add = (kind: Kind, text: string) => {
    if (text !== '')
      events.push({
        ...{ type: 'content_block_delta', index },
        delta: { type: `${kind}_delta`, [kind]: text },
      });
  };
  const stop = () => events.push({ type: 'content_block_stop', index });
  const close = () => {
    if (open !== undefined) stop();
    open = undefined;
  };

  return {
    grow(kind, text) {
      if (open !== kind) start({ type: kind, [kind]: '' });
      open = kind;
      add(kind, text);
    },
    whole(block, text) {
      start(block);
      if (text) add(text.kind, text.text);
      stop();
    },
    cut: start,
    close,
    begun: () => index >= 0,
    taken() {
      const now = events;
      events = [];
      return now;
    },
  };
}

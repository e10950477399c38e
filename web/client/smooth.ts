/** Shows text that arrives in pieces at an even pace. */

import type { Item, MessageItem, View } from './view.ts';

/** Ms in which a piece of text is revealed: a little more than the server's pause between two pushes (`limits.pushEveryMs`). */
const REVEAL_MS = 350;
/** Ms between two frames of most screens. */
const FRAME_MS = 16;

/** When frames are drawn. For tests: in a browser, {@link screen}. */
export interface Drawing {
  /** Epoch ms, or any other clock in ms. */
  now(): number;
  /** Calls back before the next frame; returns a function that takes it back. */
  onFrame(draw: () => void): () => void;
  /** Whether people see the page: a hidden one draws no frames. */
  isSeen(): boolean;
}

/** The parts of a browser that Node lacks. */
interface Browser {
  requestAnimationFrame?(draw: () => void): number;
  cancelAnimationFrame?(frame: number): void;
  readonly document?: { readonly visibilityState: string };
}

const browser = globalThis as unknown as Browser;

const screen: Drawing = {
  now: () => performance.now(),
  onFrame(draw) {
    const frame = browser.requestAnimationFrame?.(draw);
    if (frame !== undefined) return () => browser.cancelAnimationFrame?.(frame);
    const timer = setTimeout(draw, FRAME_MS);
    return () => clearTimeout(timer);
  },
  isSeen: () => browser.document?.visibilityState !== 'hidden',
};

/** How far a message is revealed. */
interface Revealed {
  /** Characters that are shown; not whole while it grows. */
  shown: number;
  /** Characters a ms. */
  rate: number;
}

/** Takes each view of a session, and gives on what is to be shown of it. */
export interface Smooth {
  show(view: View): void;
  close(): void;
}

/**
 * Reveals the text of streamed messages at an even pace, at most 350 ms behind what has arrived. The first words, messages of
 * people, and messages that arrive whole are shown at once, and so is everything while the page is hidden. A message stays `open`
 * until all of it is shown.
 *
 * @example
 * const smoothed = smooth((view) => render(view));
 * const watch = watchSession(client, sessionId, { onView: smoothed.show });
 */
export function smooth(onView: (view: View) => void, drawing: Drawing = screen): Smooth {
  let revealed = new Map<string, Revealed>();
  let target: View | undefined;
  let drawnAt = 0;
  let cancelFrame: (() => void) | undefined;

  const draw = () => {
    cancelFrame = undefined;
    if (!target) return;
    const now = drawing.now();
    const passed = now - drawnAt;
    drawnAt = now;
    const items = target.items.map((item) => (isStreamed(item) ? cut(item, passed) : item));
    onView({ ...target, items });
    if (target.items.some(isBehind)) cancelFrame = drawing.onFrame(draw);
  };

  const isBehind = (item: Item): boolean =>
    isStreamed(item) && (revealed.get(item.id)?.shown ?? item.text.length) < item.text.length;

  const cut = (message: MessageItem, passed: number): MessageItem => {
    const state = revealed.get(message.id);
    if (!state) return message;
    const { length } = message.text;
    state.shown = drawing.isSeen() ? Math.min(length, state.shown + state.rate * passed) : length;
    if (state.shown >= length) return message;
    return { ...message, text: wholeCharacters(message.text, Math.floor(state.shown)), open: true };
  };

  const take = ({ items }: View) => {
    const before = revealed;
    revealed = new Map(
      items.filter(isStreamed).map(({ id, text: { length } }) => {
        const shown = Math.min(before.get(id)?.shown ?? length, length);
        return [id, { shown, rate: (length - shown) / REVEAL_MS }];
      }),
    );
  };

  return {
    show(view) {
      take(view);
      target = view;
      if (!cancelFrame) drawnAt = drawing.now();
      cancelFrame?.();
      draw();
    },
    close() {
      cancelFrame?.();
      cancelFrame = undefined;
      target = undefined;
    },
  };
}

const isStreamed = (item: Item): item is MessageItem => item.kind === 'message' && item.role !== 'user';

/** The first `length` characters, without half of a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

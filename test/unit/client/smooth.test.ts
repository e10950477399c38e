import { describe, expect, test } from 'vitest';
import { type Drawing, smooth } from '../../../web/client/smooth.ts';
import { emptyView, type MessageItem, type View } from '../../../web/client/view.ts';

/** A screen with a frame each 16 ms, and everything that was shown on it. */
function screened() {
  const shown: { at: number; text: string; open: boolean }[] = [];
  let now = 0;
  let isSeen = true;
  let next: { at: number; draw: () => void } | undefined;
  const drawing: Drawing = {
    now: () => now,
    onFrame(draw) {
      const frame = { at: now + 16, draw };
      next = frame;
      return () => {
        if (next === frame) next = undefined;
      };
    },
    isSeen: () => isSeen,
  };
  const smoothed = smooth((view) => {
    const message = view.items.find((item) => item.kind === 'message');
    if (message && shown.at(-1)?.text !== message.text)
      shown.push({ at: now, text: message.text, open: message.open });
  }, drawing);
  return {
    shown,
    smoothed,
    hide: () => {
      isSeen = false;
    },
    frames: () => next !== undefined,
    /** Draws frames for this many ms. */
    pass(ms: number) {
      const end = now + ms;
      while (next && next.at <= end) {
        now = next.at;
        const { draw } = next;
        next = undefined;
        draw();
      }
      now = end;
    },
  };
}

const withText = (text: string, more: Partial<MessageItem> = {}): View => ({
  ...emptyView,
  items: [{ kind: 'message', id: 'm', role: 'assistant', text, open: true, ...more }],
});

const gapsOf = (shown: readonly { at: number }[]) =>
  shown.slice(1).map(({ at }, i) => at - (shown[i]?.at ?? 0));

describe('text that arrives every 300 ms', () => {
  const words = Array.from({ length: 100 }, (_, i) => `word${i}`);
  const upTo = (n: number) => words.slice(0, n).join(' ');

  test('is revealed with gaps under 120 ms, and ends with all of it', () => {
    const it = screened();
    for (let n = 6; n <= 100; n += 6) {
      it.smoothed.show(withText(upTo(n)));
      it.pass(300);
    }
    it.smoothed.show(withText(upTo(100), { open: false }));
    it.pass(400);
    const gaps = gapsOf(it.shown);
    expect(gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.95)]).toBeLessThan(120);
    expect(it.shown.at(-1)).toMatchObject({ text: upTo(100), open: false });
    expect(it.frames()).toBe(false);
  });

  test('each shown text continues the one before', () => {
    const it = screened();
    for (const n of [10, 30, 60, 100]) {
      it.smoothed.show(withText(upTo(n)));
      it.pass(200);
    }
    for (const [i, { text }] of it.shown.entries())
      expect(text.startsWith(it.shown[i - 1]?.text ?? '')).toBe(true);
  });
});

test('the first words are shown at once', () => {
  const it = screened();
  it.smoothed.show(withText('Hello'));
  expect(it.shown).toEqual([{ at: 0, text: 'Hello', open: true }]);
});

test.each([
  ['a message that arrives whole', { open: false }],
  ['a message of a person', { role: 'user', open: false }],
] as const)('%s is shown at once', (_, more) => {
  const it = screened();
  it.smoothed.show(withText('x'.repeat(5_000), more));
  expect(it.shown[0]?.text).toHaveLength(5_000);
  expect(it.frames()).toBe(false);
});

test('a hidden page shows everything, and draws no frames', () => {
  const it = screened();
  it.hide();
  it.smoothed.show(withText('a'));
  it.smoothed.show(withText('a'.repeat(900)));
  expect(it.shown.at(-1)?.text).toHaveLength(900);
  expect(it.frames()).toBe(false);
});

test('a message stays open until all of it is shown', () => {
  const it = screened();
  it.smoothed.show(withText('a'));
  it.smoothed.show(withText('a'.repeat(500), { open: false }));
  it.pass(100);
  expect(it.shown.at(-1)?.open).toBe(true);
  it.pass(400);
  expect(it.shown.at(-1)).toMatchObject({ text: 'a'.repeat(500), open: false });
});

test('an attempt that died leaves nothing behind: its message is gone, and another begins', () => {
  const it = screened();
  it.smoothed.show(withText('old '.repeat(100)));
  it.smoothed.show(emptyView);
  it.smoothed.show(withText('new'));
  expect(it.shown.at(-1)?.text).toBe('new');
});

test('no surrogate pair is cut', () => {
  const it = screened();
  it.smoothed.show(withText(''));
  it.smoothed.show(withText('🙂'.repeat(200)));
  it.pass(400);
  for (const { text } of it.shown) expect(text.isWellFormed()).toBe(true);
});

test('nothing is shown after it is closed', () => {
  const it = screened();
  it.smoothed.show(withText('a'));
  it.smoothed.show(withText('a'.repeat(500)));
  it.smoothed.close();
  const { length } = it.shown;
  it.pass(1_000);
  expect(it.shown).toHaveLength(length);
});

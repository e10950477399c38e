import { describe, expect, test } from 'vitest';
import { coalesce } from '../../../shared/agent/events/coalesce.ts';
import { packFrames } from '../../../shared/agent/events/pack-frames.ts';
import type { AgUiEvent, Frame } from '../../../shared/contract/events.ts';

const text = (delta: string, messageId = 'm'): AgUiEvent => ({
  type: 'TEXT_MESSAGE_CONTENT',
  messageId,
  delta,
});
const thought = (delta: string): AgUiEvent => ({ type: 'REASONING_MESSAGE_CONTENT', messageId: 'm', delta });
const end: AgUiEvent = { type: 'TEXT_MESSAGE_END', messageId: 'm' };

describe('coalesce', () => {
  test.each<{ what: string; events: AgUiEvent[]; joined: AgUiEvent[] }>([
    { what: 'nothing', events: [], joined: [] },
    {
      what: 'neighbouring text of one message is joined',
      events: [text('a'), text('b'), text('c')],
      joined: [text('abc')],
    },
    {
      what: 'text of two messages is not joined',
      events: [text('a'), text('b', 'n')],
      joined: [text('a'), text('b', 'n')],
    },
    {
      what: 'thinking and text are not joined',
      events: [thought('a'), text('b')],
      joined: [thought('a'), text('b')],
    },
    {
      what: 'an event in between keeps them apart',
      events: [text('a'), end, text('b')],
      joined: [text('a'), end, text('b')],
    },
  ])('$what', ({ events, joined }) => {
    expect(coalesce(events)).toEqual(joined);
  });

  test('long text is cut into pieces that fit a frame, without loss', () => {
    const long = 'x'.repeat(40_001);
    const pieces = coalesce([text(long)]);
    expect(pieces.map((event) => ('delta' in event ? event.delta.length : 0))).toEqual([
      16_000, 16_000, 8_001,
    ]);
    expect(pieces.map((event) => ('delta' in event ? event.delta : '')).join('')).toBe(long);
  });

  test('a surrogate pair is never split', () => {
    const emojis = `x${'😀'.repeat(20_000)}`;
    const pieces = coalesce([text(emojis)]).map((event) => ('delta' in event ? event.delta : ''));
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(emojis);
  });

  test('long arguments and results are truncated', () => {
    const args: AgUiEvent = { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: 'x'.repeat(8_001) };
    const [shown] = coalesce([args]);
    expect(shown).toMatchObject({ delta: `${'x'.repeat(8_000)}… (1 more characters)` });
    const whole: AgUiEvent = { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: 'x'.repeat(8_000) };
    expect(coalesce([whole])).toEqual([whole]);
  });
});

describe('packFrames', () => {
  const frame = (seq: number, size = 10): Frame => ({ seq, prev: seq - 1, event: text('x'.repeat(size)) });
  const read = (bodies: string[]) =>
    bodies.map((body) => JSON.parse(body) as { sessionId: string; frames: Frame[] });

  test('no frames give no body', () => {
    expect(packFrames('s', [])).toEqual([]);
  });

  test('small frames share a body', () => {
    const frames = [frame(1), frame(2), frame(3)];
    expect(read(packFrames('s', frames))).toEqual([{ sessionId: 's', frames }]);
  });

  test('frames that do not fit together are split, in order and without loss', () => {
    const frames = Array.from({ length: 9 }, (_, i) => frame(i + 1, 9_000));
    const bodies = packFrames('s', frames);
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies) expect(body.length).toBeLessThan(32_000);
    expect(read(bodies).flatMap((body) => body.frames)).toEqual(frames);
  });

  test('one large frame has a body of its own', () => {
    const frames = [frame(1), frame(2, 100_000), frame(3)];
    expect(read(packFrames('s', frames)).map((body) => body.frames.length)).toEqual([1, 1, 1]);
  });

  test('a body of several frames has at most 32 KB also if its text is not ASCII', () => {
    const frames = Array.from({ length: 6 }, (_, i) => ({ ...frame(i), event: text('漢'.repeat(5_000)) }));
    for (const body of packFrames('s', frames))
      expect(new TextEncoder().encode(body).length).toBeLessThan(32_768);
  });
});

import { describe, expect, test } from 'vitest';
import { coalesce } from '../../../shared/agent/events/coalesce.ts';
import { packFrames } from '../../../shared/agent/events/pack-frames.ts';
import type { AgUiEvent, Frame, RunResult } from '../../../shared/contract/events.ts';

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

  describe('a frame that fits no message', () => {
    const result = {
      ...{ success: true, state: 'completed', reason: 'completed', steps: 1, toolCalls: 0 },
      totals: {},
    } as unknown as RunResult;
    const list = (count: number, size: number) => Array.from({ length: count }, () => '漢'.repeat(size));
    const summary = {
      findings: list(20, 300),
      actionsTaken: list(20, 300),
      failures: list(20, 300),
      remainingWork: list(20, 300),
      suggestedNextSteps: list(20, 300),
    };
    const object = { text: '漢'.repeat(15_000) };
    const ended: AgUiEvent = {
      ...{ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } },
      result: { ...result, summary, object, answer: { messageIds: ['m1'], text: '漢'.repeat(8_000) } },
    };
    const only = (event: AgUiEvent): { body: string; frame: Frame } => {
      const [body = '', ...others] = packFrames('s'.repeat(128), [{ seq: 7, prev: 5, event }]);
      expect(others).toEqual([]);
      expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(128 * 1024);
      const [frame] = (JSON.parse(body) as { frames: Frame[] }).frames;
      return { body, frame: frame as Frame };
    };

    test('keeps its number and its type, and the checked answer of a run as a whole', () => {
      const { frame } = only(ended);
      expect(frame).toMatchObject({
        ...{ seq: 7, prev: 5 },
        event: { type: 'RUN_FINISHED', runId: 'r', outcome: { type: 'success' }, result: { success: true } },
      });
      const given = frame.event.type === 'RUN_FINISHED' && frame.event.result.object;
      expect(JSON.stringify(given) === JSON.stringify(object)).toBe(true);
      const told = frame.event.type === 'RUN_FINISHED' ? frame.event.result.answer : undefined;
      expect(told?.messageIds).toEqual(['m1']);
      expect(told?.text).toMatch(/^漢+… \(\d+ more characters\)$/);
    });

    test('keeps all that people may answer, with shorter texts', () => {
      const interrupts = Array.from({ length: 150 }, (_, n) => ({
        ...{ id: `wait-${n}`, reason: 'approval', toolCallId: `call-${n}` },
        message: '漢'.repeat(1_000),
      }));
      const { frame } = only({ ...ended, result, outcome: { type: 'interrupt', interrupts } } as AgUiEvent);
      const outcome = frame.event.type === 'RUN_FINISHED' ? frame.event.outcome : undefined;
      const told = outcome?.type === 'interrupt' ? outcome.interrupts : [];
      expect(told.map(({ id }) => id)).toEqual(interrupts.map(({ id }) => id));
    });

    test('has shorter lists if its texts are short', () => {
      const tasks = Array.from({ length: 5_000 }, (_, n) => ({
        id: `t${n}`,
        text: 'do it',
        status: 'pending',
      }));
      const { frame } = only({ type: 'CUSTOM', name: 'steploop.tasks', value: { tasks } as never });
      const value = frame.event.type === 'CUSTOM' ? frame.event.value : undefined;
      const { tasks: left } = value as { tasks: unknown[] };
      expect(left).toEqual(tasks.slice(0, left.length));
      expect(left.length).toBeGreaterThan(500);
    });

    test('says where to read a conversation, of which a part would be taken for all', () => {
      const message = { id: 'm', role: 'user', content: '漢'.repeat(50_000) } as const;
      const { frame } = only({ type: 'MESSAGES_SNAPSHOT', messages: [message] });
      expect(frame).toMatchObject({ seq: 7, prev: 5, event: { name: 'steploop.snapshot_needed' } });
    });

    test('says so if nothing else helps', () => {
      const metadata = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`key ${n}`, 'a value']));
      const { frame } = only({ type: 'CUSTOM', name: 'steploop.guard', value: { metadata } as never });
      expect(frame).toMatchObject({ seq: 7, prev: 5, event: { name: 'steploop.snapshot_needed' } });
    });

    test('never ends in half a character', () => {
      const { body } = only({
        type: 'RUN_ERROR',
        message: `x${'👩'.repeat(70_000)}`,
        code: 'internal_error' as never,
      });
      expect(body).not.toContain('\\ud');
    });
  });
});

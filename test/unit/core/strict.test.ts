import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgUiEvent, Folded, Frame, SnapshotMessage } from '../../../shared/contract/events.ts';
import { foldMessage } from '../../../shared/contract/folds.ts';
import { strictLine } from '../../../shared/contract/strict.ts';
import { createOrderCheck } from '../../sim/agui.ts';
import { refused } from '../../support/ag-ui.ts';

const start = (runId = 'r1'): AgUiEvent => ({ type: 'RUN_STARTED', threadId: 's', runId });
const failed: AgUiEvent = { type: 'RUN_ERROR', message: 'm', code: 'model_error' };
const step: AgUiEvent = { type: 'STEP_STARTED', stepName: '1' };
const stepEnd: AgUiEvent = { type: 'STEP_FINISHED', stepName: '1' };
const text = (messageId = 'm'): AgUiEvent => ({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
const delta = (messageId = 'm'): AgUiEvent => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'x' });
const folded: Folded = {
  slot: 4,
  why: 'size',
  tokens: { before: 9, after: 3 },
  left: { messages: 2, tokens: 6 },
  costUsd: 0,
};
const textEnd = (messageId = 'm'): AgUiEvent => ({ type: 'TEXT_MESSAGE_END', messageId });

/** Frames one after the other; a number before an event is its `prev`. */
function frames(...told: (AgUiEvent | [prev: number, AgUiEvent])[]): Frame[] {
  return told.map((entry, i) => {
    const [prev, event] = Array.isArray(entry) ? entry : [i, entry];
    return { seq: i + 1, prev, event };
  });
}

const line = (given: readonly Frame[]) => {
  const strict = strictLine({ threadId: 's' });
  return given.flatMap((frame) => strict.next(frame));
};
const types = (events: readonly AgUiEvent[]) => events.map(({ type }) => type);

describe('the strict stream', () => {
  test('leaves a complete run as it is', () => {
    const run = [start(), step, text(), delta(), textEnd(), stepEnd, failed];
    expect(line(frames(...run))).toEqual(run);
  });

  test('drops an end event that a dead attempt sent and the next owner sends again', () => {
    const run = frames(start(), step, text(), textEnd(), stepEnd, [3, textEnd()], stepEnd, failed);
    expect(line(run)).toEqual([start(), step, text(), textEnd(), stepEnd, failed]);
  });

  test('ends messages and calls that a dead attempt began and no later frame ends', () => {
    const told = line(frames(start(), step, text(), delta(), [1, { ...step, stepName: '2' }]));
    expect(types(told).slice(4)).toEqual(['TEXT_MESSAGE_END', 'STEP_FINISHED', 'STEP_STARTED']);
  });

  test('gives a client that joins in the middle the start events that it has missed', () => {
    const told = line(frames(delta(), textEnd(), stepEnd, failed));
    expect(types(told)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_ERROR',
    ]);
  });

  test('ends a run whose end was missed when the next one begins', () => {
    expect(types(line(frames(start(), step, start('r2'))))).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'STEP_FINISHED',
      'RUN_ERROR',
      'RUN_STARTED',
    ]);
  });

  test('does not repeat what a snapshot shows', () => {
    const strict = strictLine({ threadId: 's' });
    const given = frames(start(), text(), delta(), delta(), textEnd(), text(), text('n'));
    const told = given.slice(0, 3).flatMap((frame) => strict.next(frame));
    told.push(...strict.snapshot([{ id: 'm', role: 'assistant', content: 'xx' }]));
    told.push(...given.slice(3).flatMap((frame) => strict.next(frame)));
    expect(types(told)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'MESSAGES_SNAPSHOT',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
    ]);
  });

  test('also shows a compaction as a message, unless a snapshot has shown it', () => {
    const custom: AgUiEvent = { type: 'CUSTOM', name: 'steploop.folded', value: folded };
    const { id: messageId, activityType } = foldMessage(folded);
    expect(line(frames(start(), step, custom)).slice(2)).toEqual([
      custom,
      { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content: folded },
    ]);
    const shown: AgUiEvent = { type: 'MESSAGES_SNAPSHOT', messages: [foldMessage(folded)] };
    expect(line(frames(start(), shown, custom)).slice(1)).toEqual([shown, custom]);
  });

  test('keeps a snapshot for the next run if no run is going', () => {
    const strict = strictLine({ threadId: 's' });
    expect(strict.snapshot([])).toEqual([]);
    const [frame] = frames(start());
    expect(types(frame ? strict.next(frame) : [])).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT']);
  });
});

const id = fc.constantFrom('a', 'b');
const anyEvent: fc.Arbitrary<AgUiEvent> = fc.oneof(
  fc.constantFrom('r1', 'r2').map(start),
  fc.constant(failed),
  fc.constant<AgUiEvent>({
    type: 'RUN_FINISHED',
    threadId: 's',
    runId: 'r1',
    outcome: { type: 'success' },
    result: {} as never,
  }),
  fc
    .tuple(fc.constantFrom('STEP_STARTED' as const, 'STEP_FINISHED' as const), id)
    .map(([type, stepName]) => ({
      type,
      stepName,
    })),
  id.map(text),
  id.map(delta),
  id.map(textEnd),
  id.map((messageId): AgUiEvent => ({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' })),
  id.map((messageId): AgUiEvent => ({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: 'x' })),
  id.map((messageId): AgUiEvent => ({ type: 'REASONING_MESSAGE_END', messageId })),
  id.map((toolCallId): AgUiEvent => ({ type: 'TOOL_CALL_START', toolCallId, toolCallName: 't' })),
  id.map((toolCallId): AgUiEvent => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta: '{}' })),
  id.map((toolCallId): AgUiEvent => ({ type: 'TOOL_CALL_END', toolCallId })),
  id.map(
    (toolCallId): AgUiEvent => ({
      type: 'TOOL_CALL_RESULT',
      messageId: `result-${toolCallId}`,
      toolCallId,
      content: '',
      role: 'tool',
    }),
  ),
  fc.constant<AgUiEvent>({ type: 'CUSTOM', name: 'steploop.snapshot_needed', value: { why: '' } }),
  fc.constant<AgUiEvent>({ type: 'CUSTOM', name: 'steploop.folded', value: folded }),
  fc.constant<AgUiEvent>({
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'a',
    activityType: 'steploop.folded',
    content: folded,
  }),
  fc.constant<AgUiEvent>({ type: 'MESSAGES_SNAPSHOT', messages: [] }),
);
const shown: SnapshotMessage[] = [{ id: 'a', role: 'assistant', content: 'x' }];

/** A frame's distance from the last one, how far back it resets the stream, and whether messages are read before it. */
const anyFrame = fc.record({
  event: anyEvent,
  by: fc.integer({ min: 1, max: 3 }),
  back: fc.integer({ min: -2, max: 6 }),
  snapshot: fc.boolean(),
});

test('the strict stream passes the verifier of @ag-ui/client, whatever the frames are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame, { maxLength: 40 }), async (given) => {
      const strict = strictLine({ threadId: 's' });
      let last = 0;
      const told = given.flatMap(({ event, by, back, snapshot }) => {
        const frame = { seq: last + by, prev: Math.max(0, last - back), event };
        last += by;
        return [...(snapshot ? strict.snapshot(shown) : []), ...strict.next(frame)];
      });
      expect(await refused(told)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('our own check of the order, for the simulator, agrees with that of @ag-ui/client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 8 }), async (given) => {
      // Ours does not allow a run that fails before it begins or after its end; theirs does.
      const events = [start(), ...given.filter(({ type }) => type !== 'RUN_ERROR')];
      const check = createOrderCheck();
      const ours = events.every((event, seq) => check.next(event, seq) === undefined);
      expect(ours).toBe((await refused(events)) === undefined);
    }),
    { numRuns: 500 },
  );
});

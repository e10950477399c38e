import { verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import type { AgUiEvent } from '../../shared/contract/events.ts';
import { createOrderCheck } from './agui.ts';

const start: AgUiEvent = { type: 'RUN_STARTED', threadId: 's', runId: 'r' };
const failed: AgUiEvent = { type: 'RUN_ERROR', message: 'm', code: 'model_error' };
const step: AgUiEvent = { type: 'STEP_STARTED', stepName: '1' };
const stepEnd: AgUiEvent = { type: 'STEP_FINISHED', stepName: '1' };
const text: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
const delta: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x' };
const textEnd: AgUiEvent = { type: 'TEXT_MESSAGE_END', messageId: 'm' };
const call: AgUiEvent = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 't' };
const args: AgUiEvent = { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{}' };
const callEnd: AgUiEvent = { type: 'TOOL_CALL_END', toolCallId: 'c' };

const streams: Record<string, readonly AgUiEvent[]> = {
  'a whole run': [start, step, text, delta, textEnd, call, args, callEnd, stepEnd, failed],
  'two runs': [start, failed, start, failed],
  'no run': [step],
  'a run in a run': [start, start],
  'an event after the end': [start, failed, step],
  'a step twice': [start, step, step],
  'a step that ends twice': [start, step, stepEnd, stepEnd],
  'a text twice': [start, text, text],
  'text outside of its message': [start, delta],
  'a text that ends twice': [start, text, textEnd, textEnd],
  'a call twice': [start, call, call],
  'arguments outside of their call': [start, args],
  'a call that ends twice': [start, call, callEnd, callEnd],
};

describe('the order check agrees with that of @ag-ui/client', () => {
  test.each(Object.entries(streams))('on %s', async (_name, events) => {
    const check = createOrderCheck();
    const ours = events.every((event, seq) => check.next(event, seq) === undefined);
    const parsed = events.map((event) => EventSchemas.parse(event));
    const theirs = await lastValueFrom(from(parsed).pipe(verifyEvents(), toArray())).then(
      () => true,
      () => false,
    );
    expect(ours).toBe(theirs);
  });
});

test('everything from a dead attempt is undone, except for the end of a run', () => {
  const check = createOrderCheck();
  expect([start, text].map((event, seq) => check.next(event, seq))).toEqual([undefined, undefined]);
  expect(check.rewind(0)).toBeUndefined();
  expect(check.next(textEnd, 2)).toBe('text m is not open');
  check.next(failed, 3);
  expect(check.rewind(2)).toBe('an attempt that died has ended the run');
});

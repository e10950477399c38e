import { expect, test } from 'vitest';
import { plain } from '../../../local/paint.ts';
import { terminal } from '../../../local/terminal.ts';
import type { AgUiEvent, RunResult } from '../../../shared/contract/events.ts';

const totals = { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0, costUsd: 0.0025 };
const result: RunResult = {
  success: true,
  state: 'completed',
  reason: 'completed',
  steps: 1,
  toolCalls: 2,
  totals,
};

/** The terminal's content after these events; `width` columns. */
function shown(events: AgUiEvent[], width = 80): string {
  let screen = '';
  const write = (text: string) => {
    screen += text;
  };
  const show = terminal({ write, paint: plain, width });
  for (const event of events) show(event);
  return screen;
}

const said = (messageId: string, ...deltas: string[]): AgUiEvent[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  ...deltas.map((delta): AgUiEvent => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
];

test('shows a run from its first step to its end', () => {
  const screen = shown([
    { type: 'RUN_STARTED', threadId: 's1', runId: 'r1' },
    { type: 'STEP_STARTED', stepName: 'step 1' },
    { type: 'TEXT_MESSAGE_START', messageId: 'u1', role: 'user' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'u1', delta: 'Look at\nthis' },
    { type: 'TEXT_MESSAGE_END', messageId: 'u1' },
    ...said('m1', 'I will ', 'look.\nNow.'),
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm1' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"at":' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '"it"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    { type: 'TOOL_CALL_RESULT', messageId: 't1', toolCallId: 'c1', content: '{"seen":true}', role: 'tool' },
    {
      type: 'CUSTOM',
      name: 'steploop.usage',
      value: { step: 1, model: 'm', usage: totals, costUsd: 0.0025, totals },
    },
    { type: 'STEP_FINISHED', stepName: 'step 1' },
    { type: 'CUSTOM', name: 'steploop.ended', value: result },
    { type: 'RUN_FINISHED', threadId: 's1', runId: 'r1', result, outcome: { type: 'success' } },
  ]);
  expect(screen).toBe(`run r1
── step 1 ${'─'.repeat(70)}
  > Look at this
  I will look.
  Now.
  → look {"at":"it"}
  ← look {"seen":true}
  1,000 tokens in, 50 out, $0.00250; $0.00250 so far
✓ completed · 1 step · 2 tool calls · 1,050 tokens · $0.00250
`);
});

test('A9: marks estimates', () => {
  const guessed = { ...totals, estimated: true } as const;
  const value = {
    step: 1,
    model: 'm',
    usage: totals,
    costUsd: 0.0025,
    estimated: true,
    totals: guessed,
  } as const;
  const ended = { ...result, totals: guessed };
  const screen = shown([
    { type: 'CUSTOM', name: 'steploop.usage', value },
    { type: 'RUN_FINISHED', threadId: 's1', runId: 'r1', result: ended, outcome: { type: 'success' } },
  ]);
  expect(screen).toContain('about 1,000 tokens in, 50 out, $0.00250; about $0.00250 so far');
  expect(screen).toContain('about 1,050 tokens');
});

test('cuts long arguments and results to the width', () => {
  const screen = shown(
    [
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: 'x'.repeat(500) },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      {
        type: 'TOOL_CALL_RESULT',
        messageId: 't',
        toolCallId: 'c1',
        content: 'y\n'.repeat(500),
        role: 'tool',
      },
    ],
    60,
  );
  const lines = screen.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toHaveLength(60);
});

test('ends the line of a text that is interrupted', () => {
  const why = 'its Lambda was killed';
  expect(
    shown([
      ...said('m1', 'Half a sen'),
      { type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: ['m1'], why } },
      { type: 'MESSAGES_SNAPSHOT', messages: [] },
      { type: 'CUSTOM', name: 'steploop.recovered', value: { attempt: 2, adopted: false, upTo: 0 } },
      ...said('m2', 'A whole one.'),
      { type: 'RUN_ERROR', code: 'model_error', message: 'The model is gone.' },
    ]),
  ).toBe(`  Half a sen
  Retracted: its Lambda was killed.
  Recovered, attempt 2.
  A whole one.
✗ model_error: The model is gone.
`);
});

test('names the tool source that could not be reached, and not the model', () => {
  const message = 'the tool source docs could not list its tools: no answer';
  const retry = { retry: 1, delayMs: 2000, nextTryAt: '2026-11-22T12:00:02.000Z' };
  const value = { code: 'tool_source_unreachable', message, ...retry };
  expect(shown([{ type: 'CUSTOM', name: 'steploop.retry', value }])).toBe(
    '  The tool source docs could not list its tools: no answer; again in 2.0 s.\n',
  );
});

test('reports how the loop handles a failing model', () => {
  expect(
    shown([
      {
        type: 'CUSTOM',
        name: 'steploop.retry',
        value: {
          code: 'overloaded',
          message: 'overloaded',
          retry: 1,
          delayMs: 2000,
          nextTryAt: '2026-11-22T12:00:02.000Z',
        },
      },
      {
        type: 'CUSTOM',
        name: 'steploop.guard',
        value: { guard: 'budget', action: 'warn', code: 'near_budget', message: '500 tokens are left' },
      },
      {
        type: 'RUN_FINISHED',
        threadId: 's',
        runId: 'r',
        result: { ...result, success: false, state: 'max_steps', reason: 'max_steps' },
        outcome: { type: 'success' },
      },
    ]),
  ).toBe(`  The model failed (overloaded); again in 2.0 s.
  budget: 500 tokens are left
✗ max_steps: max_steps · 1 step · 2 tool calls · 1,050 tokens · $0.00250
`);
});

test('shows an approval unchanged, and how to decide it', () => {
  const waiting = {
    ...result,
    success: false,
    state: 'waiting_for_input',
    reason: 'awaiting_approval',
  } as const;
  const message = `pay\nmemo: "${'x'.repeat(70)}amount: 1"\namount: 9000`;
  const interrupts = [{ id: 'w1', reason: 'approval', message, expiresAt: '2026-11-23T00:00:00.000Z' }];
  const screen = shown(
    [
      {
        type: 'RUN_FINISHED',
        threadId: 's1',
        runId: 'r1',
        result: waiting,
        outcome: { type: 'interrupt', interrupts },
      },
    ],
    81,
  );
  expect(screen.split('\n')).toEqual([
    '  May it run this?',
    '    pay',
    `    memo: "${'x'.repeat(70)}`,
    '    ↪ amount: 1"',
    '    amount: 9000',
    '  Decide with POST /sessions/s1/decisions {"id":"w1","approved":true}, until 2026-11-23T00:00:00.000Z',
    expect.stringContaining('waiting_for_input: awaiting_approval'),
    '',
  ]);
});

test('lets no external text send control characters to the terminal', () => {
  const evil = '\u001b]0;title\u0007\u001b[2J\u202eok\u009b';
  const screen = shown([
    ...said('m1', evil),
    { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: evil },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    { type: 'TOOL_CALL_RESULT', messageId: 't1', toolCallId: 'c1', content: evil, role: 'tool' },
  ]);
  expect(screen).toMatch(/ok/);
  expect(screen).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});

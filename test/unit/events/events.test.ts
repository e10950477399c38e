import { readFileSync } from 'node:fs';
import { EventSchemas } from '@ag-ui/core/schemas';
import { describe, expect, test } from 'vitest';
import type { AgUiEvent, CustomEvent, Folded, RunResult } from '../../../shared/contract/events.ts';
import { foldMessage } from '../../../shared/contract/folds.ts';

const totals = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
const result: RunResult = {
  success: true,
  state: 'completed',
  reason: 'completed',
  steps: 1,
  toolCalls: 0,
  totals,
};

const folded: Folded = {
  slot: 7,
  why: 'size',
  tokens: { before: 170_000, after: 40_000 },
  left: { messages: 120, tokens: 130_000 },
  costUsd: 0.02,
  model: 'm',
  summary: 's',
};

/** One of each: a new event does not compile until it is added here. */
const standard: { [T in Exclude<AgUiEvent['type'], 'CUSTOM'>]: Extract<AgUiEvent, { type: T }> } = {
  RUN_STARTED: { type: 'RUN_STARTED', threadId: 's', runId: 'r' },
  RUN_FINISHED: {
    type: 'RUN_FINISHED',
    threadId: 's',
    runId: 'r',
    result,
    outcome: { type: 'interrupt', interrupts: [{ id: 'i', reason: 'awaiting_user', message: 'Well?' }] },
  },
  RUN_ERROR: { type: 'RUN_ERROR', message: 'm', code: 'model_error' },
  STEP_STARTED: { type: 'STEP_STARTED', stepName: '1' },
  STEP_FINISHED: { type: 'STEP_FINISHED', stepName: '1' },
  TEXT_MESSAGE_START: { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'user' },
  TEXT_MESSAGE_CONTENT: { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'x' },
  TEXT_MESSAGE_END: { type: 'TEXT_MESSAGE_END', messageId: 'm' },
  REASONING_MESSAGE_START: { type: 'REASONING_MESSAGE_START', messageId: 'm', role: 'reasoning' },
  REASONING_MESSAGE_CONTENT: { type: 'REASONING_MESSAGE_CONTENT', messageId: 'm', delta: 'x' },
  REASONING_MESSAGE_END: { type: 'REASONING_MESSAGE_END', messageId: 'm' },
  TOOL_CALL_START: { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 't' },
  TOOL_CALL_ARGS: { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{}' },
  TOOL_CALL_END: { type: 'TOOL_CALL_END', toolCallId: 'c' },
  TOOL_CALL_RESULT: { type: 'TOOL_CALL_RESULT', messageId: 'r', toolCallId: 'c', content: '', role: 'tool' },
  MESSAGES_SNAPSHOT: {
    type: 'MESSAGES_SNAPSHOT',
    messages: [
      { id: 'u', role: 'user', content: 'x' },
      {
        id: 'a',
        role: 'assistant',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{}' } }],
      },
      { id: 'r', role: 'tool', toolCallId: 'c', content: '' },
      foldMessage(folded),
    ],
  },
  ACTIVITY_SNAPSHOT: {
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'fold-7',
    activityType: 'steploop.folded',
    content: folded,
  },
};
const custom: { [N in CustomEvent['name']]: Extract<CustomEvent, { name: N }>['value'] } = {
  'steploop.attached': {
    messageId: 'user-e1',
    attachments: [
      { hash: 'h', name: 'a.png', mediaType: 'image/png', bytes: 9, as: 'image', width: 1, height: 1 },
    ],
  },
  'steploop.usage': { step: 1, model: 'm', usage: totals, costUsd: 0, totals },
  'steploop.guard': { guard: 'budget', action: 'warn', code: 'near_budget', message: 'm' },
  'steploop.tenant_budget': { tenant: 't', day: '2026-01-31', exceeded: 'usd', limit: 40 },
  'steploop.files': { slot: 1, count: 2, changed: [{ path: 'a.ts', bytes: 3 }, { path: 'b.ts' }] },
  'steploop.skill': { toolCallId: 'c1', skill: 'refunds', version: '0a1b2c3d4e5f', path: 'a.md' },
  'steploop.handoff': { toolCallId: 'c1', from: 'triage', to: 'billing' },
  'steploop.tasks': { tasks: [{ id: 1, title: 't', state: 'blocked', why: 'w' }] },
  'steploop.tools_missing': { source: 'shop', why: 'it did not answer within 10 s' },
  'steploop.tools_omitted': { source: 'shop', tools: [{ tool: 'find', why: 'is listed twice' }], more: 3 },
  'steploop.server_rule': { server: 's', model: 'm', rule: 'call_ids_nine', what: 'w' },
  'steploop.retry': {
    code: 'overloaded',
    message: 'm',
    retry: 1,
    delayMs: 1000,
    nextTryAt: '2026-11-22T12:00:01.000Z',
    givesUpAt: '2026-11-22T12:15:00.000Z',
  },
  'steploop.decided': { id: 'w1', toolCallId: 'c1', outcome: 'approved', by: 'user:ann' },
  'steploop.decided_before': { id: 'w1', detail: 'd' },
  'steploop.provider_switch': {
    from: { provider: 'anthropic', server: 'default', model: 'm' },
    to: { provider: 'openai', server: 'second', model: 'n' },
    why: 'w',
  },
  'steploop.aborted': { messageIds: ['m'], why: 'w' },
  'steploop.server_tools': { messageId: 'm1', calls: [], citations: [{ url: 'https://docs.test' }] },
  'steploop.omitted': { why: 'refused', parts: [{ slot: 3, part: 'results' }], message: 'Left out.' },
  'steploop.recovered': { attempt: 2, adopted: false, upTo: 1 },
  'steploop.recovery': {
    scenario: 'empty_response',
    code: 'empty_reply',
    attempt: 1,
    total: 1,
  },
  'steploop.progress': { toolCallId: 'c1', message: 'page 3 of 9', share: 0.3 },
  'steploop.folding': { why: 'size', tokens: 170_000, chars: 400 },
  'steploop.folded': folded,
  'steploop.assessed': { slot: 3, finding: 'stuck', why: 'w', costUsd: 0.001, model: 'm' },
  'steploop.snapshot_needed': { why: 'w' },
  'steploop.reconnect': { after: 1 },
  'steploop.ended': result,
};
const events = [
  ...Object.values(standard),
  ...Object.entries(custom).map(([name, value]) => ({ type: 'CUSTOM', name, value })),
];

describe('events', () => {
  test.each(events.map((event) => ['name' in event ? String(event.name) : event.type, event] as const))(
    '%s is an event of @ag-ui/core, and omits nothing of it',
    (_name, event) => {
      expect(EventSchemas.parse(event)).toEqual(event);
    },
  );
});

describe('docs/events.md', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, what = '', told = ''] = line.split('|').map((cell) => cell.trim());
    return line.startsWith('|') && told.includes('`') ? [{ what, told }] : [];
  });
  const named = rows.flatMap(({ told }) =>
    [...told.matchAll(/`([A-Z_]{4,}|steploop\.[a-z_]+)`/g)].map(([, name]) => name),
  );

  test('lists each event that the loop names (docs/events.md)', () => {
    const words = [
      ...['user_message', 'assistant_message', 'text', 'reasoning', 'finished', 'aborted', 'tool_call'],
      ...['tool_result', 'provider_meta', 'error', 'started', 'resumed', 'paused', 'ended', 'guard', 'nudge'],
      ...['recovery', 'warning', 'update', 'exceeded', 'required', 'received', 'verification'],
      ...['completion_blocked', 'provider_switch', 'compaction', 'plan_change_queued'],
    ];
    const missing = words.filter((word) => !new RegExp(`\\b${word}\\b`).test(page));
    expect(missing).toEqual([]);
  });

  test('lists exactly the events that exist', () => {
    // Made for a page over AG-UI from its session's state, and no frames.
    const ofPages = ['STATE_DELTA', 'STATE_SNAPSHOT'];
    expect([...new Set(named)].sort()).toEqual(
      [...Object.keys(standard), ...Object.keys(custom), ...ofPages].sort(),
    );
  });
});

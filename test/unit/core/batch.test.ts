import { describe, expect, test } from 'vitest';
import { type AnyGuard, defineGuard } from '../../../shared/agent/guardrails/guard.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import type { ToolCall, ToolResult } from '../../../shared/agent/session/slots.ts';
import { planBatch } from '../../../shared/agent/step/batch/plan-batch.ts';
import { leaveWithoutPolicy } from '../../../shared/agent/tools/asking.ts';
import { tool } from '../step/reading.fixture.ts';

const session = newSession({ tenant: 't', sessionId: 's' }, 'a', 'd');
const tools = [
  tool('read'),
  tool('add', undefined, { effect: 'idempotent' }),
  tool('refund', undefined, { effect: 'once' }),
];
const call = (id: string, name: string): ToolCall => ({ id, name, input: {} });
const kept = (callId: string): ToolResult => ({
  callId,
  name: 'refund',
  outcome: 'ok',
  content: 'done',
  durationMs: 1,
});

const plan = (
  names: string[],
  { guards = [] as AnyGuard[], started = [] as string[], results = [] as ToolResult[], max = 25 } = {},
) =>
  planBatch(
    names.map((name, i) => call(`c${i}`, name)),
    tools,
    guards,
    session,
    { started, results: new Map(results.map((result) => [result.callId, result])) },
    { limits: { maxCallsPerReply: max }, leaveOf: leaveWithoutPolicy([]) },
  );

/** Counts the calls that it sees, and gives a configured verdict on one of them. */
const counting = (about: string, verdict: 'halt' | 'block' | 'warn') =>
  defineGuard<{ seen: number }>({
    name: 'counting',
    scope: 'run',
    initial: { seen: 0 },
    hooks: {
      call: ({ seen }, observed) => {
        const state = { seen: seen + 1 };
        if (observed.call.name !== about) return { state };
        const said = { code: 'said', message: 'Because.' };
        if (verdict === 'halt')
          return { state, verdict: { kind: verdict, state: 'error', reason: 'loop_halt', ...said } };
        return { state, verdict: { kind: verdict, ...said } };
      },
    },
  });

describe('planBatch', () => {
  test('only once tools are unsafe; unknown ones fail by themselves', () => {
    expect(plan(['read', 'add', 'refund', 'nope']).calls).toMatchObject([
      { kind: 'run', unsafe: false },
      { kind: 'run', unsafe: false },
      { kind: 'run', unsafe: true },
      { kind: 'run', unsafe: false, tool: undefined },
    ]);
  });

  test('a call that started before is settled: by its kept result, or as unknown', () => {
    const { calls } = plan(['refund', 'refund', 'refund'], { started: ['c0', 'c1'], results: [kept('c0')] });
    expect(calls).toMatchObject([
      { kind: 'settled', result: { outcome: 'ok', content: 'done' } },
      { kind: 'settled', result: { outcome: 'unknown', callId: 'c1' } },
      { kind: 'run', unsafe: true },
    ]);
  });

  test('calls beyond the limit are refused', () => {
    const { calls } = plan(['read', 'read', 'read'], { max: 2 });
    expect(calls.map(({ kind }) => kind)).toEqual(['run', 'run', 'settled']);
  });

  test('guards see the calls in order, each with the state after the one before', () => {
    const { session: after } = plan(['read', 'add', 'read'], { guards: [counting('none', 'warn')] });
    expect(after.metadata.guardrails.counting).toEqual({ seen: 3 });
  });

  test('a block answers one call and lets the others run; the blocked call still counts', () => {
    const {
      calls,
      spoken,
      session: after,
    } = plan(['read', 'add', 'read'], { guards: [counting('add', 'block')] });
    expect(calls).toMatchObject([
      { kind: 'run' },
      { kind: 'settled', result: { outcome: 'refused', content: 'Error [refused]: Because.' } },
      { kind: 'run' },
    ]);
    expect(spoken).toMatchObject([{ kind: 'block', guard: 'counting' }]);
    expect(after.metadata.guardrails.counting).toEqual({ seen: 3 });
  });

  test('a halt leaves no call of the batch to run', () => {
    const { calls, halt } = plan(['read', 'add', 'read'], { guards: [counting('add', 'halt')] });
    expect(calls).toMatchObject([
      { kind: 'settled', result: { callId: 'c0', outcome: 'cancelled' } },
      { kind: 'settled', result: { callId: 'c1', outcome: 'refused', content: 'Error [refused]: Because.' } },
      { kind: 'settled', result: { callId: 'c2', outcome: 'cancelled' } },
    ]);
    expect(halt).toMatchObject({ kind: 'halt', reason: 'loop_halt', guard: 'counting' });
  });
});

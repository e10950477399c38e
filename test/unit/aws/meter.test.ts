import { describe, expect, test } from 'vitest';
import type { StepReport } from '../../../shared/agent/ports/meter.ts';
import { meter } from '../../../shared/aws/meter.ts';
import type { LastEnding } from '../../../shared/contract/session.ts';
import { written } from '../../support/written.ts';

const metric = (dimensions: Record<string, string>, name: string) => ({
  _aws: {
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      {
        Namespace: 'Steploop',
        Dimensions: [Object.keys(dimensions)],
        Metrics: [{ Name: name, Unit: 'Count' }],
      },
    ],
  },
  ...dimensions,
  [name]: 1,
});

const report: StepReport = {
  key: { tenant: 'acme', sessionId: 's1' },
  agent: 'triage',
  run: 's1-0',
  step: 2,
  attempt: 1,
  model: 'claude-x',
  modelMs: 900,
  toolsMs: 40,
  toolCalls: 1,
  usage: { input: 100, output: 20, cacheRead: 7, cacheWrite: 3 },
  costUsd: 0.004,
  ending: 'continues',
  counted: { calls: 0, successes: 0, failures: 0 },
};

const ended = (ending: Partial<LastEnding>): StepReport => ({
  ...report,
  ending: 'ended',
  ended: {
    state: 'error',
    reason: 'provider_error',
    code: 'authentication_error',
    message: 'The key was refused.',
    at: 1,
    ...ending,
  },
});

describe('the meter on AWS', () => {
  test('L10: one line of the embedded metric format for each verdict, with names and codes only', () => {
    const verdict = { agent: 'triage', guard: 'counts', action: 'warn', code: 'idempotent_warn' } as const;
    expect(written(() => meter.verdict(verdict))).toEqual([metric(verdict, 'GuardVerdicts')]);
  });

  test('one line for each step, with every number as a field', () => {
    expect(written(() => meter.step(report))).toEqual([
      {
        ...{ timestamp: expect.any(String), level: 'INFO', message: 'step' },
        ...{ tenant: 'acme', sessionId: 's1', agent: 'triage', run: 's1-0', step: 2, attempt: 1 },
        ...{ model: 'claude-x', modelMs: 900, toolsMs: 40, toolCalls: 1 },
        ...{ input: 100, output: 20, cacheRead: 7, cacheWrite: 3, usd: 0.004, ending: 'continues' },
      },
    ]);
  });

  test('L10: the counts of the loop guards in a step are one line of metrics, by agent', () => {
    const counted = { calls: 3, successes: 1, failures: 1 };
    const figures = { ToolCalls: 3, ToolSuccesses: 1, ToolFailures: 1 };
    const [line, metrics] = written(() => meter.step({ ...report, counted })) as Record<string, unknown>[];
    expect(line).not.toHaveProperty('counted');
    expect(metrics).toMatchObject({ agent: 'triage', ...figures });
    expect(metrics).toMatchObject({
      _aws: {
        CloudWatchMetrics: [
          {
            Dimensions: [['agent']],
            Metrics: Object.keys(figures).map((Name) => ({ Name, Unit: 'Count' })),
          },
        ],
      },
    });
  });

  test('L10: when it ends, a run reports how long it has worked', () => {
    const { ended: _ended, ...fine } = ended({});
    const [, metrics] = written(() => meter.step({ ...fine, activeSeconds: 7.5 })) as unknown[];
    expect(metrics).toMatchObject({
      agent: 'triage',
      ActiveSeconds: 7.5,
      _aws: { CloudWatchMetrics: [{ Metrics: [{ Name: 'ActiveSeconds', Unit: 'Seconds' }] }] },
    });
  });

  test('a run that ends as an error is a line of that level with its reason and message, and is counted by reason', () => {
    const [step, line, counted] = written(() => meter.step(ended({ guard: 'x' })));
    expect(step).toMatchObject({
      message: 'step',
      ending: 'ended',
      state: 'error',
      reason: 'provider_error',
    });
    expect(line).toEqual({
      ...{ timestamp: expect.any(String), level: 'ERROR', message: 'a run ended badly' },
      ...{ tenant: 'acme', sessionId: 's1', agent: 'triage', run: 's1-0', guard: 'x' },
      ...{ state: 'error', reason: 'provider_error', code: 'authentication_error' },
      detail: 'The key was refused.',
    });
    expect(counted).toEqual(metric({ reason: 'provider_error' }, 'RunsFailed'));
  });

  test('a run that ends at a limit is a warning, and is counted too', () => {
    const [, line, counted] = written(() => meter.step(ended({ state: 'max_steps', reason: 'max_steps' })));
    expect(line).toMatchObject({ level: 'WARN', message: 'a run ended badly', reason: 'max_steps' });
    expect(counted).toEqual(metric({ reason: 'max_steps' }, 'RunsFailed'));
  });

  test.each([
    ['completed', 'completed'],
    ['cancelled', 'cancelled'],
    ['waiting_for_input', 'awaiting_user'],
  ] as const)('a run that ends as %s is not a warning', (state, reason) => {
    expect(written(() => meter.step(ended({ state, reason })))).toHaveLength(1);
  });

  test('a failed tool is a warning with its place', () => {
    const failure = { key: report.key, tool: 'get', callId: 'c1', durationMs: 5 };
    const lines = written(() => {
      meter.callFailed({ ...failure, code: 'failed', error: new TypeError('hunter2') });
      meter.callFailed({ ...failure, code: 'timeout' });
    });
    const facts = { tenant: 'acme', sessionId: 's1', tool: 'get', callId: 'c1', ms: 5 };
    expect(lines).toMatchObject([
      { level: 'WARN', message: 'a tool failed', ...facts, code: 'failed', error: 'TypeError' },
      { level: 'WARN', message: 'a tool failed', ...facts, code: 'timeout' },
    ]);
    expect(lines[0]?.stack).toMatch(/meter\.test\.ts/);
  });
});

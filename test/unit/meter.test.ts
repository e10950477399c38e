import { afterEach, describe, expect, test, vi } from 'vitest';
import { meter } from '../../shared/aws/meter.ts';

describe('the meter on AWS', () => {
  afterEach(() => void vi.restoreAllMocks());

  test('L10: one line of the embedded metric format for each verdict, with names and codes only', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    meter.verdict({ agent: 'triage', guard: 'counts', action: 'warn', code: 'idempotent_warn' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'Steploop',
            Dimensions: [['agent', 'guard', 'action', 'code']],
            Metrics: [{ Name: 'GuardVerdicts', Unit: 'Count' }],
          },
        ],
      },
      agent: 'triage',
      guard: 'counts',
      action: 'warn',
      code: 'idempotent_warn',
      GuardVerdicts: 1,
    });
  });
});

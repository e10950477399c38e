import { expect, test, vi } from 'vitest';
import type { StepReport } from '../../../shared/agent/ports/meter.ts';
import { meter } from '../../../shared/aws/meter.ts';
import { errorFacts, log } from '../../../shared/logger.ts';
import { written } from '../../support/written.ts';

/** CloudWatch takes the largest lines (docs/aws-limits.md). */

const name = 'n'.repeat(64);
const report: StepReport = {
  key: { tenant: name, sessionId: name },
  ...{ agent: name, run: `${name}-9999`, step: 999, attempt: 99, model: 'm'.repeat(200) },
  ...{ modelMs: 1, toolsMs: 1, toolCalls: 256, costUsd: 1, ending: 'ended', activeSeconds: 1 },
  counted: { calls: 256, successes: 256, failures: 256 },
  usage: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  ended: {
    ...{ state: 'error', reason: 'provider_error', code: 'c'.repeat(64), at: 1 },
    message: 'm'.repeat(500),
  },
};

test('every metric line has at most 100 metrics and 30 dimensions, with values of at most 1,024 characters', () => {
  vi.stubEnv('METRICS_NAMESPACE', `Steploop/${name}`);
  const lines = written(() => {
    meter.step(report);
    meter.verdict({ agent: name, guard: name, action: 'halt', code: name } as never);
  });
  vi.unstubAllEnvs();
  const metricLines = lines.filter((line) => '_aws' in line);
  expect(metricLines.length).toBeGreaterThan(2);
  for (const line of metricLines) {
    const { CloudWatchMetrics: directives } = line._aws as {
      CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: object[] }[];
    };
    for (const { Namespace, Dimensions, Metrics } of directives) {
      expect(Namespace).toMatch(/^[\w./#:-]{1,255}$/);
      expect(Metrics.length).toBeLessThanOrEqual(100);
      for (const dimensions of Dimensions) {
        expect(dimensions.length).toBeLessThanOrEqual(30);
        for (const dimension of dimensions) expect(String(line[dimension])).toMatch(/^.{1,1024}$/);
      }
    }
  }
});

test('a logged error has a line of at most 256 KB, whatever it says', () => {
  const error = new Error('x'.repeat(2_000_000), { cause: new Error('y'.repeat(2_000_000)) });
  error.name = 'N'.repeat(2_000_000);
  const [line] = written(() => log('error', 'it failed', errorFacts(error)));
  // 1 MB since 2025, and 256 KB before.
  expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(262_144);
  const [other] = written(() => log('error', 'it failed', errorFacts('z'.repeat(2_000_000))));
  expect(Buffer.byteLength(JSON.stringify(other))).toBeLessThan(262_144);
});

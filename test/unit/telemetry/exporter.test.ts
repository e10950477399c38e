import { afterEach, describe, expect, test, vi } from 'vitest';
import { exported, exportedMeter } from '../../../functions/ports/telemetry.ts';
import type { Secrets } from '../../../shared/edge/secrets.ts';
import { LEFT_ALONE_MS, type Missed, openExporter } from '../../../shared/telemetry/exporter.ts';
import { headersIn } from '../../../shared/telemetry/headers.ts';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { startCollector } from '../../support/collector.ts';
import { sessionWorld } from '../../support/session-world.ts';

afterEach(() => vi.unstubAllEnvs());

async function oneStep() {
  const world = await sessionWorld({}, scriptedModel(says('Done.')));
  await world.say('Go.');
  await world.settle();
  const [report] = world.meter.steps;
  const [trace] = world.meter.traces;
  if (!report || !trace) throw new Error('no step');
  return { world, report, trace };
}

describe('the exporter', () => {
  test('pauses after a collector has refused, logs that once, and resumes', async () => {
    let status = 503;
    await using collector = await startCollector(() => status);
    const missed: Missed[] = [];
    let now = 0;
    const send = openExporter({
      endpoint: `${collector.url}/`,
      headers: async () => '',
      content: false,
      resource: {},
      now: () => now,
      missed: (facts) => void missed.push(facts),
    });
    const { report, trace } = await oneStep();
    const both = ['/v1/metrics', '/v1/traces'];
    const paths = () => collector.requests.map(({ path }) => path).sort();
    for (let i = 0; i < 3; i++) await send(report, trace);
    expect(paths()).toEqual(both);
    now = LEFT_ALONE_MS;
    await send(report, trace);
    expect(paths()).toEqual([...both, ...both].sort());
    expect(missed).toEqual([
      { signal: 'traces', status: 503 },
      { signal: 'metrics', status: 503 },
    ]);
    now *= 2;
    status = 200;
    await send(report, trace);
    expect(collector.spans.length).toBeGreaterThan(0);
  });

  test('survives an unreachable address or invalid headers, and logs neither', async () => {
    const { report, trace } = await oneStep();
    const missed: Missed[] = [];
    const options = {
      endpoint: 'http://127.0.0.1:9/secret-path',
      headers: async () => '',
      content: false,
      resource: {},
      now: Date.now,
      missed: (facts: Missed) => void missed.push(facts),
    };
    await openExporter(options)(report, trace);
    await openExporter({ ...options, headers: () => Promise.reject(new Error('secret words')) })(
      report,
      trace,
    );
    expect(missed).toHaveLength(4);
    expect(JSON.stringify(missed)).not.toContain('secret');
  });

  test('does not send its headers to another address', async () => {
    await using other = await startCollector();
    await using collector = await startCollector(() => ({ location: `${other.url}/v1/traces` }));
    const { report, trace } = await oneStep();
    const missed: Missed[] = [];
    const headers = async () => 'authorization=Basic%20a';
    await openExporter({
      ...{ endpoint: collector.url, headers, content: false, resource: {}, now: Date.now },
      missed: (facts) => void missed.push(facts),
    })(report, trace);
    expect(missed).toMatchObject([{ status: 307 }, { status: 307 }]);
    expect(collector.requests[0]?.headers).toMatchObject({ authorization: 'Basic a' });
    expect(other.requests).toEqual([]);
  });
});

describe('the meter of a function', () => {
  const secrets: Secrets = {
    get: async () => 'x-key=from-the-secret',
    refresh: async () => 'x-key=from-the-secret',
  };

  test('is the usual one without a collector', async () => {
    const { world } = await oneStep();
    for (const none of [undefined, '{}']) {
      vi.stubEnv('TELEMETRY', none);
      expect(exportedMeter(world.meter, secrets)).toBe(world.meter);
    }
  });

  test('counts as before and also exports, with headers from a secret', async () => {
    await using collector = await startCollector();
    vi.stubEnv('TELEMETRY', JSON.stringify({ endpoint: collector.url, headersSecret: 'arn' }));
    const { world, report, trace } = await oneStep();
    const counted = world.meter.steps.length;
    const meter = exportedMeter(world.meter, secrets);
    meter.step(report, () => trace);
    expect(world.meter.steps).toHaveLength(counted + 1);
    await exported();
    expect(collector.spans.map(({ name }) => name)).toEqual([
      'invoke_agent test',
      'step 1',
      'chat test-model',
    ]);
    expect(collector.requests[0]?.headers).toMatchObject({ 'x-key': 'from-the-secret' });
  });

  test('commits a step even if its spans cannot be made', async () => {
    vi.stubEnv('TELEMETRY', JSON.stringify({ endpoint: 'http://127.0.0.1:9' }));
    const { world, report } = await oneStep();
    const lines: unknown[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    exportedMeter(world.meter, secrets).step(report, () => {
      throw new Error('words');
    });
    await exported();
    spy.mockRestore();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('telemetry could not be made');
    expect(lines[0]).not.toContain('words');
  });
});

test('headers are read in the OpenTelemetry format, and in the forms that people write', () => {
  expect(headersIn('a=1, Authorization=Basic%20dTpw,b=x=y,c=100%,, =none,nothing')).toEqual({
    a: '1',
    authorization: 'Basic dTpw',
    b: 'x=y',
    c: '100%',
  });
});

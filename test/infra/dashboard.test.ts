import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StepReport } from '../../shared/agent/ports/meter.ts';
import { meter } from '../../shared/aws/meter.ts';
import { written } from '../support/written.ts';
import { functionsByName, type Synthesized, synthesized } from './synthesized.fixture.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly width: number;
  readonly properties: {
    readonly title?: string;
    readonly query?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly alarms?: readonly string[];
  };
}

/** The dashboard's widgets, with values that only a deployment knows as `<logical id>`. */
function widgetsOf(stack: Synthesized): Widget[] {
  const [[, { Properties }] = ['', { Properties: {} }]] = stack.resources('AWS::CloudWatch::Dashboard');
  const [, parts] = Properties.DashboardBody['Fn::Join'];
  const body = parts
    .map((part: unknown) => (typeof part === 'string' ? part : `<${idIn(part as Record<string, unknown>)}>`))
    .join('');
  return JSON.parse(body).widgets;
}

const idIn = (part: Record<string, unknown>) =>
  'Ref' in part ? part.Ref : [part['Fn::GetAtt']].flat().slice(0, 1);

/** Everything that its metrics refer to: namespaces, names and dimensions, and expressions. */
const shown = (widgets: readonly Widget[]) =>
  JSON.stringify(widgets.map(({ properties }) => properties.metrics));

const queries = (widgets: readonly Widget[]) => widgets.flatMap(({ properties }) => properties.query ?? []);

let stack: Synthesized;
let widgets: Widget[];
beforeAll(() => {
  stack = synthesized();
  widgets = widgetsOf(stack);
});
afterEach(() => vi.unstubAllEnvs());

const ended: StepReport = {
  ...{ key: { tenant: 'acme', sessionId: 's1' }, agent: 'triage', run: 's1-0', step: 1, attempt: 1 },
  ...{ model: 'm', modelMs: 1, toolsMs: 1, toolCalls: 1, costUsd: 0.1, infraUsd: 0.1, ending: 'ended' },
  counted: { calls: 1, successes: 1, failures: 0 },
  usage: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  ended: { state: 'error', reason: 'provider_error', code: 'c', message: 'No.', at: 1 },
};

describe('the dashboard', () => {
  it('queries the log for fields that a step’s line has', () => {
    const [line] = written(() => meter.step(ended)) as Record<string, unknown>[];
    const names = queries(widgets).flatMap((query) => [
      ...query.matchAll(/(?:sum|avg|pct|ispresent)\((\w+)/g),
      ...query.matchAll(/ by ((?!bin)[\w, ]+)/g),
    ]);
    const fields = new Set(names.flatMap(([, list = '']) => list.trim().split(/, /)));
    expect(fields.size).toBeGreaterThan(10);
    expect(Object.keys(line ?? {})).toEqual(expect.arrayContaining([...fields]));
    for (const query of queries(widgets)) {
      expect(query).toContain(`filter message = "${line?.message}"`);
      const group = stack.fn('step').properties.LoggingConfig.LogGroup.Ref;
      expect(query).toMatch(new RegExp(`^SOURCE '<${group}>'`));
    }
  });

  it('searches for counted metrics in their namespace and by their dimensions', () => {
    const namespace = stack.fn('step').properties.Environment.Variables.METRICS_NAMESPACE;
    vi.stubEnv('METRICS_NAMESPACE', namespace);
    const verdict = { agent: 'a', guard: 'g', action: 'nudge', code: 'c' } as const;
    const lines = [...written(() => meter.verdict(verdict)), ...written(() => meter.step(ended)).slice(-1)];
    const counted = (lines as { _aws: { CloudWatchMetrics: [Counted] } }[]).map(
      ({ _aws }) => _aws.CloudWatchMetrics[0],
    );
    expect(counted).toHaveLength(2);
    for (const { Namespace, Dimensions, Metrics } of counted) {
      const by = [...Dimensions[0]].sort().join(',');
      expect(shown(widgets)).toContain(
        JSON.stringify(`SEARCH('{"${Namespace}",${by}} MetricName="${Metrics[0].Name}"`).slice(1, -1),
      );
    }
  });

  it.each(functionsByName)('shows errors, throttles, time and concurrency of %s', (name) => {
    const { id } = stack.fn(name);
    for (const metric of ['Errors', 'Throttles', 'Duration', 'ConcurrentExecutions']) {
      expect(shown(widgets)).toContain(`["AWS/Lambda","${metric}","FunctionName","<${id}>"`);
    }
  });

  it('shows each queue, the age of its messages, and each dead-letter queue', () => {
    for (const [id, { Properties }] of stack.resources('AWS::SQS::Queue')) {
      const depth = `["AWS/SQS","ApproximateNumberOfMessagesVisible","QueueName","<${id}>"`;
      const age = `["AWS/SQS","ApproximateAgeOfOldestMessage","QueueName","<${id}>"`;
      expect(shown(widgets)).toContain(depth);
      expect(shown(widgets).includes(age)).toBe(Properties.RedrivePolicy !== undefined);
    }
  });

  it('shows every alarm, and is within the width limit of a dashboard', () => {
    const alarms = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect(alarms).toHaveLength(stack.resources('AWS::CloudWatch::Alarm').length);
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
  });

  it('shows every lane, with more alarms than fit into one widget', () => {
    const many = widgetsOf(synthesized({ name: 'prod', lanes: 58, concurrency: { steps: 5900 } }));
    const status = many.filter(({ properties }) => properties.alarms);
    expect(status.length).toBeGreaterThan(1);
    for (const { properties } of status) expect(properties.alarms?.length).toBeLessThanOrEqual(100);
    const depths = shown(many).match(/"ApproximateNumberOfMessagesVisible"/g);
    expect(depths?.length).toBeGreaterThan(59);
  });

  it('can exist without alarms, or not at all', () => {
    const quiet = synthesized({ alarms: false });
    expect(widgetsOf(quiet).filter(({ type }) => type === 'alarm')).toEqual([]);
    const none = synthesized({ dashboard: false });
    none.template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    expect(none.agents.dashboard).toBeUndefined();
    expect(none.entry.outputs).not.toHaveProperty('DashboardName');
  });
});

interface Counted {
  readonly Namespace: string;
  readonly Dimensions: readonly [readonly string[]];
  readonly Metrics: readonly [{ readonly Name: string }];
}

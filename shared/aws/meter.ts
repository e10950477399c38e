import { defined } from '../agent/plain/defined.ts';
import type { CallFailure, Meter, StepReport } from '../agent/ports/meter.ts';
import { env } from '../contract/env.ts';
import { metrics } from '../contract/metrics.ts';
import { log, whereFrom } from '../logger.ts';

/** Counts as CloudWatch metrics, and logs the outcome of steps. Names, codes and figures only. */
export const meter: Meter = {
  verdict({ agent, guard, action, code }) {
    emit({ agent, guard, action, code }, { [metrics.guardVerdicts]: 1 });
  },

  step(report) {
    log('info', 'step', factsOf(report));
    const { ended } = report;
    const figures = figuresOf(report);
    // By agent only: the model chooses the names of tools, and each new name would be another metric to pay for.
    if (Object.keys(figures).length > 0) emit({ agent: report.agent }, figures);
    if (!ended || !isBad(ended.state)) return;
    const { key, agent, run } = report;
    const { state, reason, code, message: detail, guard } = ended;
    const facts = { ...key, agent, run, state, reason, code, ...(guard && { guard }), detail };
    const level = state === 'error' ? 'error' : 'warn';
    log(level, 'a run ended badly', facts);
    emit({ reason }, { [metrics.runsFailed]: 1 });
  },

  callFailed({ key, tool, callId, code, durationMs, error }: CallFailure) {
    const where = error === undefined ? {} : whereFrom(error);
    log('warn', 'a tool failed', { ...key, tool, callId, code, ms: durationMs, ...where });
  },

  toolsOmitted(key, { source, tools, more = 0 }) {
    const named = tools.map(({ tool, why }) => `${tool} ${why}`.slice(0, 200)).slice(0, 10);
    log('warn', 'tools of a source were left out', {
      ...key,
      source,
      count: tools.length + more,
      tools: named.join('; '),
    });
  },
};

/** Counts a webhook's delivery that could not be carried out. */
export const countDeadDelivery = (): void => emit({}, { [metrics.deadDeliveries]: 1 });

const isBad = (state: string): boolean => !['completed', 'cancelled', 'waiting_for_input'].includes(state);

/** One line for a step: flat, so that each figure is a field. */
function factsOf({
  key,
  usage,
  costUsd,
  infraUsd,
  ended,
  counted: _counted,
  activeSeconds: _active,
  ...report
}: StepReport) {
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    ...key,
    ...report,
    ...{ input, output, cacheRead, cacheWrite, usd: costUsd, infraUsd },
    ...(ended && { state: ended.state, reason: ended.reason }),
  };
}

/** The loop guards' counts in a step that called tools, and at a run's end how long it has worked. */
function figuresOf({ counted, activeSeconds }: StepReport): Record<string, number> {
  const { calls, successes, failures } = counted;
  return {
    ...(calls + successes + failures > 0 && {
      [metrics.toolCalls]: calls,
      [metrics.toolSuccesses]: successes,
      [metrics.toolFailures]: failures,
    }),
    ...defined({ [metrics.activeSeconds]: activeSeconds }),
  };
}

/**
 * One line in the embedded metric format, which the log service turns into metrics. One set of dimensions.
 *
 * The line goes directly to the stream: `console` would wrap it into a log record, and it would not become a metric.
 */
function emit(dimensions: Readonly<Record<string, string>>, figures: Readonly<Record<string, number>>): void {
  const cloudWatchMetrics = [
    {
      Namespace: process.env[env.METRICS_NAMESPACE] ?? metrics.namespace,
      Dimensions: [Object.keys(dimensions)],
      Metrics: Object.keys(figures).map((Name) => ({
        Name,
        Unit: Name === metrics.activeSeconds ? 'Seconds' : 'Count',
      })),
    },
  ];
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: cloudWatchMetrics };
  process.stdout.write(`${JSON.stringify({ _aws, ...dimensions, ...figures })}\n`);
}

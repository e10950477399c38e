import type { CallFailure, Meter, StepReport } from '../agent/ports.ts';
import { metrics } from '../contract/metrics.ts';
import { log, whereFrom } from './logger.ts';

/** Counts as CloudWatch metrics, and says in the log what steps came to. Names, codes and figures only. */
export const meter: Meter = {
  verdict({ agent, guard, action, code }) {
    count(metrics.guardVerdicts, { agent, guard, action, code });
  },

  step(report) {
    log('info', 'step', factsOf(report));
    const { ended } = report;
    if (!ended || !isBad(ended.state)) return;
    const { key, agent, run } = report;
    const { state, reason, code, message: detail, guard } = ended;
    const facts = { ...key, agent, run, state, reason, code, ...(guard && { guard }), detail };
    const level = state === 'error' ? 'error' : 'warn';
    log(level, 'a run ended badly', facts);
    count(metrics.runsFailed, { reason });
  },

  callFailed({ key, tool, callId, code, durationMs, error }: CallFailure) {
    const where = error === undefined ? {} : whereFrom(error);
    log('warn', 'a tool failed', { ...key, tool, callId, code, ms: durationMs, ...where });
  },
};

/** A delivery of a webhook could not be carried out. */
export const countDeadDelivery = (): void => count(metrics.deadDeliveries, {});

const isBad = (state: string): boolean => !['completed', 'cancelled', 'waiting_for_input'].includes(state);

/** One line of a step: flat, so that each figure is a field. */
function factsOf({ key, usage, costUsd, ended, ...report }: StepReport) {
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    ...key,
    ...report,
    ...{ input, output, cacheRead, cacheWrite, usd: costUsd },
    ...(ended && { state: ended.state, reason: ended.reason }),
  };
}

/**
 * One line in the embedded metric format, which the log service turns into a metric. One set of dimensions.
 *
 * The line goes to the stream itself: `console` would wrap it into a log record, and no metric would come of it.
 */
function count(name: string, dimensions: Readonly<Record<string, string>>): void {
  const cloudWatchMetrics = [
    {
      Namespace: metrics.namespace,
      Dimensions: [Object.keys(dimensions)],
      Metrics: [{ Name: name, Unit: 'Count' }],
    },
  ];
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: cloudWatchMetrics };
  process.stdout.write(`${JSON.stringify({ _aws, ...dimensions, [name]: 1 })}\n`);
}

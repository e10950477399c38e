import type { Meter } from '../agent/ports.ts';

/**
 * Counts verdicts as CloudWatch metrics: one line in the embedded metric format each, which the log service turns into
 * a metric. One set of dimensions; names and codes only.
 *
 * The line goes to the stream itself: `console` would wrap it into a log record, and no metric would come of it.
 */
export const meter: Meter = {
  verdict({ agent, guard, action, code }) {
    const cloudWatchMetrics = [
      {
        Namespace: 'Steploop',
        Dimensions: [['agent', 'guard', 'action', 'code']],
        Metrics: [{ Name: 'GuardVerdicts', Unit: 'Count' }],
      },
    ];
    const line = {
      _aws: { Timestamp: Date.now(), CloudWatchMetrics: cloudWatchMetrics },
      ...{ agent, guard, action, code },
      GuardVerdicts: 1,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  },
};

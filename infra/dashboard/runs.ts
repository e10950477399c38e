/** Figures of runs and their steps, from the log of steps, whose lines have each figure as a field (`shared/aws/meter.ts`). */

import { type IWidget, LogQueryVisualizationType, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { metrics } from '../../shared/contract/metrics.ts';
import { metricsOf } from '../alarm.ts';
import { asked, graph, period } from './graph.ts';
import type { DashboardParts } from './parts.ts';

/** Each committed step writes one. */
const STEP = 'filter message = "step"';

/** How and why runs end, and the verdicts of guards. */
export function runs({ config, step }: DashboardParts): IWidget[][] {
  /** All metrics of this name with these dimensions, whatever their values, which are not known here. */
  const search = (label: string, dimensions: string, metric: string) =>
    new MathExpression({
      expression: `SEARCH('{"${metricsOf(config)}",${dimensions}} MetricName="${metric}"', 'Sum', ${period.toSeconds()})`,
      usingMetrics: {},
      label,
      period,
    });
  return [
    [
      asked(
        3,
        'Runs ended, by reason',
        step,
        [
          `${STEP} and ispresent(state)`,
          'stats count(*) as runs, avg(step) as modelCalls by state, reason, agent',
          'sort runs desc',
        ],
        LogQueryVisualizationType.TABLE,
      ),
      graph(3, 'Runs that failed or met a limit', [search('', 'reason', metrics.runsFailed)]),
      graph(3, 'Guard verdicts', [search('', 'action,agent,code,guard', metrics.guardVerdicts)]),
    ],
  ];
}

/** Number, duration, usage and cost of steps. */
export function steps({ step }: DashboardParts): IWidget[][] {
  const each = 'by bin(5m)';
  return [
    [
      graph(3, 'Steps a second', [
        new MathExpression({
          expression: 'begun / PERIOD(begun)',
          usingMetrics: { begun: step.metricInvocations({ period, statistic: 'Sum' }) },
          label: 'begun',
          period,
        }),
      ]),
      graph(3, 'A step: ms', [
        step.metricDuration({ period, statistic: 'p50', label: 'p50' }),
        step.metricDuration({ period, statistic: 'p95', label: 'p95' }),
      ]),
      asked(3, 'The model and tools: ms of a step', step, [
        STEP,
        `stats pct(modelMs, 50) as modelP50, pct(modelMs, 95) as modelP95, pct(toolsMs, 95) as toolsP95 ${each}`,
      ]),
    ],
    [
      asked(3, 'Tokens', step, [
        STEP,
        `stats sum(input) as inputTokens, sum(output) as outputTokens, sum(cacheRead) as cacheReads, sum(cacheWrite) as cacheWrites ${each}`,
      ]),
      asked(3, 'USD: the model and infrastructure', step, [
        STEP,
        `stats sum(usd) as model, sum(infraUsd) as infrastructure ${each}`,
      ]),
      asked(
        3,
        'USD, by agent and model',
        step,
        [
          STEP,
          'stats sum(usd) as modelUsd, sum(infraUsd) as infrastructureUsd, count(*) as steps by agent, model',
          'sort modelUsd desc',
        ],
        LogQueryVisualizationType.TABLE,
      ),
    ],
  ];
}

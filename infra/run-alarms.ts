/** Alarms on runs that end as errors, by reason. The agent's own limits (steps, tokens, time) ring no alarm. */

import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { metrics } from '../shared/contract/metrics.ts';
import type { Reason } from '../shared/contract/session.ts';
import { alarm, metricsOf } from './alarm.ts';
import type { Config } from './config.ts';

/** How many runs in five minutes ring the alarm, and the meaning of their end. One is enough if the cause is Steploop or the account. */
const rings: Partial<Record<Reason, { atLeast: number; says: string }>> = {
  provider_error: {
    atLeast: 1,
    says: 'Runs end because the model cannot be called: a revoked key, a spend limit, a request that its server refuses.',
  },
  internal_error: { atLeast: 1, says: 'Runs end because of a mistake in a guard, or in this code.' },
  crash_loop: { atLeast: 1, says: 'Runs end because their step kills its worker each time.' },
  resource_limit: { atLeast: 1, says: 'Runs end because their worker has no memory, disk or files left.' },
  model_error: { atLeast: 5, says: "Runs end because the model's replies are empty or cannot be parsed." },
  tool_error: { atLeast: 5, says: 'Runs end because their tools fail again and again.' },
  loop_halt: { atLeast: 5, says: 'Runs end because they go in circles.' },
  blocked: { atLeast: 5, says: 'Runs end because the model refuses.' },
  tenant_budget: { atLeast: 5, says: 'Runs end because a tenant has used up its daily budget.' },
};

export function runAlarms(scope: Construct, config: Config): void {
  for (const [reason, { atLeast, says }] of Object.entries(rings)) {
    const metric = new Metric({
      namespace: metricsOf(config),
      metricName: metrics.runsFailed,
      dimensionsMap: { reason },
      period: Duration.minutes(5),
      statistic: 'Sum',
    });
    alarm(scope, `Runs-${reason}`, { metric, atLeast, periods: 1, says, runbook: 'runs-fail' });
  }
}

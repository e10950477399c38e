/** Alarms whose text says what happened and where the runbook is. `alarm-topic.ts` connects them to a topic. */

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { metrics } from '../shared/contract/metrics.ts';
import type { Config } from './config.ts';

export interface AlarmProps {
  metric: IMetric;
  /** The alarm rings if the metric is at least this. */
  atLeast: number;
  /** Number of consecutive periods of the metric. */
  periods: number;
  /** The first thing that the reader of the alarm needs to know. */
  says: string;
  /** Anchor of a heading in docs/operating.md. */
  runbook: string;
}

export function alarm(scope: Construct, id: string, props: AlarmProps): Alarm {
  return new Alarm(scope, id, {
    metric: props.metric,
    threshold: props.atLeast,
    evaluationPeriods: props.periods,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.says} Runbook: docs/operating.md#${props.runbook}`,
  });
}

/** The metric namespace of one deployment, so that failures of another deployment ring no alarm here. */
export const metricsOf = ({ name }: Config): string => `${metrics.namespace}/${name}`;

/** Alarms whose text says what happened and where the runbook is. `alarm-topic.ts` lets somebody hear them. */

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { metrics } from '../shared/contract/metrics.ts';
import type { Config } from './config.ts';

export interface AlarmProps {
  metric: IMetric;
  /** Rings when the metric is at least this. */
  atLeast: number;
  /** For so many periods of the metric, one after the other. */
  periods: number;
  /** What the reader of the alarm needs to know first. */
  says: string;
  /** Heading in docs/operating.md, as its anchor. */
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

/** The namespace of what the functions of one deployment count: another deployment's failures ring no alarm of this one. */
export const metricsOf = ({ name }: Config): string => `${metrics.namespace}/${name}`;

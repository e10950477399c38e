/** The kinds of widgets that the dashboard is made of. */

import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** Columns of a dashboard. */
export const WIDTH = 24;

/** Of each metric: CloudWatch keeps a minute's for 15 days, and draws coarser ones for a longer time itself. */
export const period = Duration.minutes(1);

const HEIGHT = 6;

/** Lines over time, with so many widgets in its row. Metrics on the `right` have a scale of their own. */
export const graph = (inRow: number, title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, width: WIDTH / inRow, height: HEIGHT, left, right, leftYAxis: { min: 0 } });

/** What the log of a function is asked, when somebody looks. */
export const asked = (
  inRow: number,
  title: string,
  { logGroup }: LambdaFunction,
  queryLines: string[],
  view = LogQueryVisualizationType.LINE,
) =>
  new LogQueryWidget({
    title,
    width: WIDTH / inRow,
    height: HEIGHT,
    logGroupNames: [logGroup.logGroupName],
    queryLines,
    view,
  });

/** The kinds of widgets on the dashboard. */

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

/** Period of each metric. CloudWatch keeps minutes for 15 days, and draws longer ranges coarser by itself. */
export const period = Duration.minutes(1);

const HEIGHT = 6;

/** A line chart, with so many widgets in its row. Metrics on the `right` have a scale of their own. */
export const graph = (inRow: number, title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, width: WIDTH / inRow, height: HEIGHT, left, right, leftYAxis: { min: 0 } });

/** A query of a function's log, which runs when the dashboard is opened. */
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

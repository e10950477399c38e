/**
 * The deployment on one CloudWatch dashboard: its runs, its costs, its queues and its failures.
 *
 * It makes no metric of its own. The figures of steps are in their log lines (`shared/aws/meter.ts`), and the dashboard queries
 * the log when it is opened: a metric for each figure and agent would cost every user money each month, whether or not it is
 * read.
 */

import { Duration } from 'aws-cdk-lib';
import { Alarm, AlarmStatusWidget, Dashboard, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { WIDTH } from './dashboard/graph.ts';
import type { DashboardParts } from './dashboard/parts.ts';
import { runs, steps } from './dashboard/runs.ts';
import { apis, database, functions, queues } from './dashboard/services.ts';

/** Most alarms that one widget shows. */
const ALARMS_OF_A_WIDGET = 100;

/**
 * The dashboard of everything in `scope`, so it is made last. CloudFormation chooses its name, because names of dashboards are
 * unique in an account, across its regions.
 */
export function dashboardOf(scope: Construct, parts: DashboardParts): Dashboard {
  const rows: IWidget[][] = [
    [new TextWidget({ markdown: `# Steploop: ${parts.config.name}`, width: WIDTH, height: 1 })],
    ...alarmStatus(scope),
    ...runs(parts),
    ...steps(parts),
    queues(scope),
    functions(parts),
    database(parts),
    apis(parts),
  ];
  return new Dashboard(scope, 'Dashboard', { defaultInterval: Duration.hours(3), widgets: rows });
}

function alarmStatus(scope: Construct): IWidget[][] {
  const alarms = scope.node.findAll().filter((each) => each instanceof Alarm);
  const rows = Math.ceil(alarms.length / ALARMS_OF_A_WIDGET);
  return Array.from({ length: rows }, (_, i) => [
    new AlarmStatusWidget({
      title: 'Alarms',
      width: WIDTH,
      height: 6,
      alarms: alarms.slice(i * ALARMS_OF_A_WIDGET, (i + 1) * ALARMS_OF_A_WIDGET),
    }),
  ]);
}

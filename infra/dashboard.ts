/**
 * The deployment on one page of CloudWatch: what its runs do, what they cost, what waits, what fails.
 *
 * It makes no metric of its own. What steps come to is in their lines of the log (`shared/aws/meter.ts`), and the log is asked when
 * somebody looks: a metric for each figure and agent would be paid for each month, by everybody, whoever looks.
 */

import { Duration } from 'aws-cdk-lib';
import { Alarm, AlarmStatusWidget, Dashboard, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { WIDTH } from './dashboard/graph.ts';
import type { DashboardParts } from './dashboard/parts.ts';
import { runs, steps } from './dashboard/runs.ts';
import { apis, database, functions, queues } from './dashboard/services.ts';

/** Alarms that one widget shows at most. */
const ALARMS_OF_A_WIDGET = 100;

/**
 * The dashboard of all that is in `scope`, so it is made last. CloudFormation names it: names of dashboards are those of an account, in
 * all its regions together.
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

/**
 * The clock: each minute, it sends the schedules that are due soon, wakes sessions that are overdue because their message got lost,
 * deletes the stored data of deleted sessions, and of people, and counts days that are over.
 */

import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { limitsEnvironment } from './identity.ts';
import { deleteBlobs, onBlobs, onDueIndex, onListedIndex, onTable, scanListedIndex } from './permissions.ts';

export class Sweep extends Construct {
  readonly sweep: Handler;

  constructor(scope: Construct, id: string, { config, code, table, blobs, steps }: Ground) {
    super(scope, id);
    const { sessionsDays } = config.retention;
    this.sweep = new Handler(this, 'Sweep', {
      config,
      description:
        'Starts schedules, wakes overdue sessions, deletes the stored data of deleted sessions, and counts days.',
      code: code('sweep'),
      // Less than a minute, so that it is over when the next one begins.
      timeout: Duration.seconds(58),
      // One whole CPU: a session takes two requests, and the number of sessions that it wakes in a minute depends on how fast it makes them.
      memorySize: 1769,
      sendsSteps: true,
      failing: {
        says: 'The sweeper fails: schedules start late, sessions may wake late, and data of deleted sessions stays in the table and the bucket.',
        runbook: 'sweep-fails',
      },
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        BLOB_BUCKET: blobs.bucketName,
        ...limitsEnvironment(config),
        ...(config.facts.schedules && { SCHEDULES: config.facts.schedules }),
        ...(sessionsDays !== undefined && { SESSIONS_DAYS: String(sessionsDays) }),
      },
      may: [
        onDueIndex(table),
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onListedIndex(table),
        ...deleteBlobs(blobs),
        // Large slots of sessions whose day is counted.
        onBlobs(blobs, 'GetObject'),
        ...(sessionsDays === undefined ? [] : [scanListedIndex(table)]),
        steps.sending(),
      ],
    });
    new Rule(this, 'EachMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new FunctionTarget(this.sweep.fn)],
    });
  }
}

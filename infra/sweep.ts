/** The backstop: each minute, wake the sessions whose moment has passed and whose message got lost. */

import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { Handler } from './handler.ts';
import { onDueIndex, onTable, sendTo } from './permissions.ts';
import type { SocketApi } from './socket-api.ts';

export interface SweepProps {
  code: string;
  table: ITable;
  blobs: IBucket;
  stepQueue: IQueue;
  toolQueue: IQueue;
  deliveryQueue: IQueue;
  socket: SocketApi;
}

export class Sweep extends Construct {
  readonly sweep: Handler;

  constructor(scope: Construct, id: string, props: SweepProps) {
    super(scope, id);
    const { code, table, blobs, stepQueue, toolQueue, deliveryQueue, socket } = props;
    this.sweep = new Handler(this, 'Sweep', {
      description: 'Wakes the sessions that are overdue.',
      code,
      timeout: Duration.seconds(50),
      memorySize: 512,
      sendsSteps: true,
      failing: {
        says: 'The sweeper fails, so sessions that wait for a moment may oversleep.',
        runbook: 'sweep-fails',
      },
      environment: {
        TABLE_NAME: table.tableName,
        STEP_QUEUE_URL: stepQueue.queueUrl,
        // Asked for by the ports it shares with the step, and not used: it may reach none of them.
        TOOL_QUEUE_URL: toolQueue.queueUrl,
        DELIVERY_QUEUE_URL: deliveryQueue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        SOCKET_URL: socket.url,
      },
      may: [onDueIndex(table), onTable(table, 'BatchGetItem', 'UpdateItem'), sendTo(stepQueue)],
    });
    new Rule(this, 'EachMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new FunctionTarget(this.sweep.fn)],
    });
  }
}

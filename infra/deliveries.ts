/** Deliveries to listeners outside (Slack, callback URLs): their queue, its dead letters, its consumer. */

import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { Handler } from './handler.ts';
import type { Parameters } from './parameters.ts';
import { onBlobs, onSlackTokens, onTable, readSecret, sendTo } from './permissions.ts';
import { queueWithDeadLetters } from './queues.ts';
import type { Secrets } from './secrets.ts';

/** How long one delivery may take, over all destinations of its session. A callback is waited for 15 s. */
const timeout = Duration.minutes(2);

export interface DeliveriesProps {
  code: string;
  table: ITable;
  blobs: IBucket;
  secrets: Secrets;
  parameters: Parameters;
}

export class Deliveries extends Construct {
  /** One message says that somebody may have something to hear of one session. */
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly deliver: Handler;

  constructor(scope: Construct, id: string, props: DeliveriesProps) {
    super(scope, id);
    // A destination is leased for as long as its invocation may live, so a delivery that comes back finds it free.
    const queues = queueWithDeadLetters(this, 'Queue', { timeout });
    this.queue = queues.queue;
    this.deadLetters = queues.deadLetters;
    this.deliver = this.deliverHandler(props);
    alarm(this, 'DeliveriesWait', {
      // A delivery may be 15 minutes old by design: the longest delay of a message.
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      atLeast: Duration.minutes(30).toSeconds(),
      periods: 5,
      says: 'Listeners outside hear of sessions half an hour late: too little concurrency, or a channel that keeps failing.',
      runbook: 'deliveries-wait',
    });
    alarm(this, 'DeliveriesDie', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A delivery failed five times. Its listeners hear nothing until their session goes on, or it is redriven.',
      runbook: 'deliveries-die',
    });
  }

  private deliverHandler({ code, table, blobs, secrets, parameters }: DeliveriesProps): Handler {
    const deliver = new Handler(this, 'Deliver', {
      description: 'Tells listeners outside what sessions did: Slack, callback URLs.',
      code,
      timeout,
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        DELIVERY_QUEUE_URL: this.queue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        CALLBACK_SIGNING_SECRET_ID: secrets.callbackSigning.secretArn,
        CALLBACK_LOOPBACK: parameters.callbackLoopback.valueAsString,
        SLACK_API_URL: parameters.slackApiUrl.valueAsString,
      },
      may: [
        onTable(table, 'GetItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject'),
        sendTo(this.queue),
        readSecret(secrets.callbackSigning),
        onSlackTokens(this, 'GetSecretValue'),
      ],
    });
    deliver.fn.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 50 }),
    );
    return deliver;
  }
}

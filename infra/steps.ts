/** The loop itself: the function that runs one step, and the one that looks after dead letters. */

import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { Handler } from './handler.ts';
import type { Parameters } from './parameters.ts';
import { onBlobs, onTable, pushTo, readSecret, sendTo } from './permissions.ts';
import { runAlarms } from './run-alarms.ts';
import type { Secrets } from './secrets.ts';
import type { SocketApi } from './socket-api.ts';
import { type StepQueue, timeout } from './step-queue.ts';
import type { ToolQueue } from './tools.ts';

export interface StepsProps {
  code: { step: string; deadLetter: string };
  steps: StepQueue;
  tools: ToolQueue;
  deliveryQueue: IQueue;
  table: ITable;
  blobs: IBucket;
  secrets: Secrets;
  socket: SocketApi;
  parameters: Parameters;
}

export class Steps extends Construct {
  readonly step: Handler;
  readonly deadLetter: Handler;

  constructor(scope: Construct, id: string, props: StepsProps) {
    super(scope, id);
    this.step = this.stepHandler(props);
    this.deadLetter = this.deadLetterHandler(props);
    runAlarms(this);
    alarm(this, 'DeadLettersArrive', {
      // Not the depth of the queue: its consumer empties it faster than the metric is sampled.
      metric: this.deadLetter.fn.metricInvocations({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A wake or a queued call failed too often. Its session was woken again, or told so, or its run was ended with an error.',
      runbook: 'dead-letters',
    });
  }

  private stepHandler(props: StepsProps): Handler {
    const { code, steps, tools, deliveryQueue, table, blobs, secrets, socket, parameters } = props;
    const step = new Handler(this, 'Step', {
      description: 'Runs one step of one run: one model call and its tools.',
      code: code.step,
      timeout: timeout.step,
      memorySize: 1024,
      sendsSteps: true,
      failing: {
        says: 'Steps crash, run out of memory or time out. Each is retried, and ends its run as crash_loop at last.',
        runbook: 'steps-fail',
      },
      environment: {
        TABLE_NAME: table.tableName,
        STEP_QUEUE_URL: steps.queue.queueUrl,
        TOOL_QUEUE_URL: tools.queue.queueUrl,
        DELIVERY_QUEUE_URL: deliveryQueue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        SOCKET_URL: socket.url,
        FETCH_LOOPBACK: 'refuse',
        STEP_LEASE_SECONDS: parameters.stepLeaseSeconds.valueAsString,
        TENANT_TOKENS_PER_DAY: parameters.tenantTokensPerDay.valueAsString,
        TENANT_USD_PER_DAY: parameters.tenantUsdPerDay.valueAsString,
        TENANT_STEPS_PER_DAY: parameters.tenantStepsPerDay.valueAsString,
        MODEL_KEY_SECRET_ID: secrets.modelKey.secretArn,
        MODEL_BASE_URL: parameters.modelBaseUrl.valueAsString,
        MODEL_AUTH: parameters.modelAuth.valueAsString,
        SECOND_MODEL_KEY_SECRET_ID: secrets.secondModelKey.secretArn,
        SECOND_MODEL_BASE_URL: parameters.secondModelBaseUrl.valueAsString,
        SECOND_MODEL_AUTH: parameters.secondModelAuth.valueAsString,
        GITHUB_API_URL: parameters.githubApiUrl.valueAsString,
        GITHUB_TOKEN_SECRET_ID: secrets.githubToken.secretArn,
      },
      may: [
        // It deletes the places in line of events that get into the inbox, and nothing else.
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        sendTo(steps.queue, tools.queue, deliveryQueue),
        pushTo(socket.api),
        readSecret(secrets.modelKey),
        readSecret(secrets.secondModelKey),
        readSecret(secrets.githubToken),
      ],
    });
    step.fn.addEventSource(
      new SqsEventSource(steps.queue, {
        batchSize: 1,
        reportBatchItemFailures: true,
        // The cap is here and not in reserved concurrency. Below the cap SQS waits instead of being throttled,
        // and a throttled wake counts as received; but a reservation must leave the account 10 (or 100)
        // unreserved, so on a new account, whose limit is 10, the stack would not deploy. If other functions
        // share your account, reserve at least StepConcurrency for this one (docs/operating.md#concurrency).
        maxConcurrency: parameters.stepConcurrency.valueAsNumber,
      }),
    );
    return step;
  }

  private deadLetterHandler(props: StepsProps): Handler {
    const { code, steps, tools, deliveryQueue, table, blobs, socket, parameters } = props;
    const deadLetter = new Handler(this, 'DeadLetter', {
      description:
        'Wakes a dead-lettered session again, or ends its run with an error; gives up queued calls.',
      code: code.deadLetter,
      timeout: timeout.deadLetter,
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        STEP_QUEUE_URL: steps.queue.queueUrl,
        TOOL_QUEUE_URL: tools.queue.queueUrl,
        DELIVERY_QUEUE_URL: deliveryQueue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        SOCKET_URL: socket.url,
        STEP_LEASE_SECONDS: parameters.stepLeaseSeconds.valueAsString,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        sendTo(steps.queue, tools.queue, deliveryQueue),
        pushTo(socket.api),
      ],
    });
    for (const queue of [steps.deadLetters, tools.deadLetters]) {
      deadLetter.fn.addEventSource(
        new SqsEventSource(queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 2 }),
      );
    }
    return deadLetter;
  }
}

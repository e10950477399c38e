/** Calls that run from a queue (`where: 'queue'`): their queue, its dead letters, and the function that runs one call. */

import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import type { Config } from './config.ts';
import { declaredFor } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { deleteListed, onBlobs, onTable, pushTo } from './permissions.ts';
import { queueWithDeadLetters } from './queues.ts';
import type { SocketApi } from './socket-api.ts';
import { timeout as timeouts } from './step-queue.ts';

/** Longest time of one call: Lambda's limit. */
const timeout = Duration.minutes(15);

export class ToolQueue extends Construct {
  /** One message is one call. */
  readonly queue: Queue;
  /** Calls whose worker died each time. Their consumer is in steps.ts. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { encryptionKey }: Config) {
    super(scope, id);
    const queues = queueWithDeadLetters(this, 'Calls', {
      encryptionKey,
      // Applies only until the worker itself sets how long its call may take.
      timeout,
      // A call that kills its worker is tried at most this often, within `queuedCallSeconds`. A call that cannot even begin, in
      // an outage, hides its message for two minutes each time, and so outlasts 40.
      receives: 20,
      deadLetterTimeout: timeouts.deadLetter,
    });
    this.queue = queues.queue;
    this.deadLetters = queues.deadLetters;
    alarm(this, 'CallsWait', {
      // One call may take 15 minutes, and a call whose worker died is checked after its own timeout.
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      atLeast: Duration.minutes(45).toSeconds(),
      periods: 5,
      says: 'Queued calls wait more than 45 minutes: too little concurrency of tools, or a tool that keeps killing its worker.',
      runbook: 'calls-wait',
    });
    alarm(this, 'CallsDie', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      // The worker of a dead letter may still be alive, and is waited for.
      periods: 6,
      says: 'The dead letters of queued calls are not being emptied: their consumer fails.',
      runbook: 'calls-die',
    });
  }
}

export interface ToolsProps extends Ground {
  tools: ToolQueue;
  /** Base URL of the HTTP API. */
  httpUrl: string;
  socket: SocketApi;
}

export class Tools extends Construct {
  readonly tool: Handler;

  constructor(scope: Construct, id: string, props: ToolsProps) {
    super(scope, id);
    const { config, code, tools, steps, table, blobs, httpUrl, socket, runsOn } = props;
    // The settings and secrets of tools, as in the step function. Model keys are not among them.
    const declared = declaredFor('tool', props);
    this.tool = new Handler(this, 'Tool', {
      config,
      description: 'Runs one queued call of one batch, and wakes its session after the last one.',
      code: code('tool'),
      timeout,
      ...runsOn('tool'),
      sendsSteps: true,
      runsTools: true,
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        TOOL_QUEUE_URL: tools.queue.queueUrl,
        BLOB_BUCKET: blobs.bucketName,
        FETCH_LOOPBACK: 'refuse',
        HTTP_URL: httpUrl,
        SOCKET_URL: socket.url,
        ...declared.environment,
      },
      may: [
        onTable(table, 'GetItem', 'PutItem', 'UpdateItem', 'Query'),
        // A tool may cancel a reminder.
        deleteListed(table),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        steps.sending(),
        pushTo(socket.api),
        ...declared.may,
      ],
    });
    this.tool.invoked.addEventSource(
      new SqsEventSource(tools.queue, {
        batchSize: 1,
        reportBatchItemFailures: true,
        maxConcurrency: config.concurrency.tools,
      }),
    );
  }
}

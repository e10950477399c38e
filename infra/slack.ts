/** The Slack app: what takes in Slack's requests, and the queue of work that Slack need not wait for. */

import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { Handler } from './handler.ts';
import type { Parameters } from './parameters.ts';
import { onBlobs, onSlackTokens, onTable, readSecret, sendTo, slackTokenPrefix } from './permissions.ts';
import { queueWithDeadLetters } from './queues.ts';
import type { Secrets } from './secrets.ts';

/** How long a job may take: ten files of 15 s each at worst are cut short, and tried again. */
const jobTimeout = Duration.minutes(2);

export interface SlackProps {
  code: { app: string; jobs: string };
  table: ITable;
  blobs: IBucket;
  secrets: Secrets;
  parameters: Parameters;
  stepQueue: IQueue;
  deliveryQueue: IQueue;
}

export class Slack extends Construct {
  /** Serves the routes of the app. */
  readonly app: Handler;
  readonly jobs: Handler;
  private readonly queue: Queue;

  constructor(scope: Construct, id: string, props: SlackProps) {
    super(scope, id);
    const { queue, deadLetters } = queueWithDeadLetters(this, 'Queue', { timeout: jobTimeout });
    this.queue = queue;
    this.app = this.appHandler(props);
    this.jobs = this.jobsHandler(props);
    alarm(this, 'SlackJobsDie', {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'Something that was asked for in Slack failed five times: a message with files, a slash command.',
      runbook: 'slack-jobs-die',
    });
  }

  private appHandler(props: SlackProps): Handler {
    const { code, table, secrets, parameters } = props;
    return new Handler(this, 'App', {
      description:
        'Takes in what Slack sends: events, clicks, commands; and installs the app into workspaces.',
      code: code.app,
      // Slack waits 3 seconds; an answer that comes later is still worth having, since Slack sends it again.
      timeout: Duration.seconds(10),
      // A cold start has to fit into the 3 seconds, and memory is CPU.
      memorySize: 1024,
      sendsSteps: true,
      failing: {
        // Slack turns events off for an app that answers fewer than 5% of them well within an hour.
        says: 'Requests of Slack fail. Slack sends them again three times, and at last turns events off.',
        runbook: 'slack-fails',
      },
      environment: {
        ...this.environment(props),
        SLACK_CLIENT_ID: parameters.slackClientId.valueAsString,
        SLACK_CLIENT_SECRET_ID: secrets.slackClient.secretArn,
        SLACK_SIGNING_SECRET_ID: secrets.slackSigning.secretArn,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(props.blobs, 'GetObject', 'PutObject'),
        sendTo(props.stepQueue),
        sendTo(props.deliveryQueue),
        sendTo(this.queue),
        readSecret(secrets.slackClient),
        readSecret(secrets.slackSigning),
        onSlackTokens(this, 'CreateSecret', 'GetSecretValue', 'PutSecretValue'),
      ],
    });
  }

  private jobsHandler(props: SlackProps): Handler {
    const jobs = new Handler(this, 'Jobs', {
      description:
        'Does what Slack need not wait for: files, threads, slash commands, the App Home, uninstallations.',
      code: props.code.jobs,
      timeout: jobTimeout,
      memorySize: 512,
      sendsSteps: true,
      environment: this.environment(props),
      may: [
        onTable(props.table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(props.blobs, 'GetObject', 'PutObject'),
        sendTo(props.stepQueue),
        sendTo(this.queue),
        onSlackTokens(this, 'GetSecretValue', 'DeleteSecret'),
      ],
    });
    jobs.fn.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
    return jobs;
  }

  private environment({ table, blobs, parameters, stepQueue, deliveryQueue }: SlackProps) {
    return {
      TABLE_NAME: table.tableName,
      STEP_QUEUE_URL: stepQueue.queueUrl,
      DELIVERY_QUEUE_URL: deliveryQueue.queueUrl,
      BLOB_BUCKET: blobs.bucketName,
      SLACK_JOBS_QUEUE_URL: this.queue.queueUrl,
      SLACK_API_URL: parameters.slackApiUrl.valueAsString,
      SLACK_TOKEN_PREFIX: slackTokenPrefix,
    };
  }
}

/** The Slack app: the function that takes Slack's requests, and the queue for work that Slack need not wait for. */

import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import type { Config } from './config.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { onBlobs, onSlackTokens, onTable, readSecret, sendTo, slackTokenPrefix } from './permissions.ts';
import { queueWithDeadLetters, type Senders } from './queues.ts';
import type { Secrets } from './secrets.ts';

/** Base URL of Slack's Web API. */
const slackApiUrl = 'https://slack.com/api/';

/** Longest time of a job. At worst ten files of 15 s each are cut short, and tried again. */
const jobTimeout = Duration.minutes(2);

/** The environment that a function needs to post as the bots. It renews their tokens if the app rotates them. */
export const slackTokenEnvironment = (config: Config, { client }: SlackProps['app']) => ({
  SLACK_API_URL: slackApiUrl,
  SLACK_TOKEN_PREFIX: slackTokenPrefix(config),
  SLACK_CLIENT_ID: config.slackClientId ?? 'none',
  SLACK_CLIENT_SECRET_ID: client.secretArn,
  ...(config.encryptionKey && { SLACK_TOKEN_KEY: config.encryptionKey.keyArn }),
});

export interface SlackProps extends Ground {
  deliveries: Senders;
  /** The Slack app's own secrets. */
  app: NonNullable<Secrets['slack']>;
}

export class Slack extends Construct {
  /** Serves the routes of the app. */
  readonly app: Handler;
  readonly jobs: Handler;
  private readonly queue: Queue;

  constructor(scope: Construct, id: string, props: SlackProps) {
    super(scope, id);
    const { queue, deadLetters } = queueWithDeadLetters(this, 'Queue', {
      timeout: jobTimeout,
      encryptionKey: props.config.encryptionKey,
    });
    this.queue = queue;
    this.app = this.appHandler(props);
    this.jobs = this.jobsHandler(props);
    alarm(this, 'SlackJobsDie', {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A job of the Slack app failed five times: a message with files, a slash command.',
      runbook: 'slack-jobs-die',
    });
  }

  private appHandler(props: SlackProps): Handler {
    const { config, code, table, app } = props;
    return new Handler(this, 'App', {
      config,
      description:
        "Accepts Slack's requests: events, clicks, commands; and installs the app into workspaces.",
      code: code('slack'),
      // Slack waits 3 seconds. A later answer is still useful, because Slack sends the request again.
      timeout: Duration.seconds(10),
      // A cold start must fit into the 3 seconds, and memory is CPU.
      memorySize: 1024,
      sendsSteps: true,
      failing: {
        // Slack turns events off for an app that answers fewer than 5% of them well within an hour.
        says: 'Requests of Slack fail. Slack retries each three times, and turns events off if too many fail.',
        runbook: 'slack-fails',
      },
      environment: {
        ...this.environment(props),
        SLACK_SIGNING_SECRET_ID: app.signing.secretArn,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(props.blobs, 'GetObject', 'PutObject'),
        props.steps.sending(),
        ...props.deliveries.sending(),
        sendTo(this.queue),
        readSecret(app.client),
        readSecret(app.signing),
        onSlackTokens(this, config, 'CreateSecret', 'GetSecretValue', 'PutSecretValue'),
      ],
    });
  }

  private jobsHandler(props: SlackProps): Handler {
    const jobs = new Handler(this, 'Jobs', {
      config: props.config,
      description:
        'Runs jobs that Slack need not wait for: files, threads, slash commands, the App Home, uninstallations.',
      code: props.code('slack-jobs'),
      timeout: jobTimeout,
      memorySize: 512,
      sendsSteps: true,
      environment: this.environment(props),
      may: [
        onTable(props.table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
        onBlobs(props.blobs, 'GetObject', 'PutObject'),
        props.steps.sending(),
        sendTo(this.queue),
        readSecret(props.app.client),
        onSlackTokens(this, props.config, 'GetSecretValue', 'PutSecretValue', 'DeleteSecret'),
      ],
    });
    jobs.fn.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
    return jobs;
  }

  private environment({ config, table, blobs, steps, deliveries, app }: SlackProps) {
    return {
      TABLE_NAME: table.tableName,
      ...steps.environment,
      ...deliveries.environment,
      BLOB_BUCKET: blobs.bucketName,
      SLACK_JOBS_QUEUE_URL: this.queue.queueUrl,
      ...slackTokenEnvironment(config, app),
    };
  }
}

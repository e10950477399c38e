/**
 * Deliveries to outside listeners (Slack, callback URLs, channels): their queues, the dead letters, the consumer. If there are others,
 * Slack has a queue with a mapping of its own, so that neither waits for the other.
 */

import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { declaredFor } from './definition-environment.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { onBlobs, onSlackTokens, onTable, readSecret, sendMails, sendTo } from './permissions.ts';
import { queueBeside, queueWithDeadLetters, type Senders } from './queues.ts';
import { slackTokenEnvironment } from './slack.ts';

/** Longest time of one delivery, over all destinations of its session. A callback has a timeout of 15 s. */
const timeout = Duration.minutes(2);

const one = { batchSize: 1, reportBatchItemFailures: true };

export class Deliveries extends Construct implements Senders {
  /** One message says that one session may have news for its listeners. */
  readonly queue: Queue;
  /** The same for Slack, if callbacks are not to share its turns. */
  readonly slackQueue: Queue | undefined;
  readonly deadLetters: Queue;
  readonly deliver: Handler;

  constructor(scope: Construct, id: string, props: Ground) {
    super(scope, id);
    // The lease of a destination is as long as an invocation may last, so a delivery that comes back finds it free.
    const settings = { timeout, encryptionKey: props.config.encryptionKey };
    const queues = queueWithDeadLetters(this, 'Queue', settings);
    this.queue = queues.queue;
    this.deadLetters = queues.deadLetters;
    const { slack, callbackSigning, linkSigning } = props.secrets;
    this.slackQueue =
      slack && (callbackSigning ?? linkSigning) ? queueBeside(queues, 'SlackQueue', settings) : undefined;
    this.deliver = this.deliverHandler(props);
    for (const [id, queue] of [
      ['DeliveriesWait', this.queue],
      ['SlackDeliveriesWait', this.slackQueue],
    ] as const)
      if (queue) this.alarmWhenLate(id, queue);
    alarm(this, 'DeliveriesDie', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A delivery failed five times. Its listeners receive nothing until their session continues, or the delivery is redriven.',
      runbook: 'deliveries-die',
    });
  }

  private alarmWhenLate(id: string, queue: Queue): void {
    alarm(this, id, {
      // A delivery may be 15 minutes old by design: the longest delay of a message.
      metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      atLeast: Duration.minutes(30).toSeconds(),
      periods: 5,
      says: 'External deliveries are half an hour late: too little concurrency, or a channel that keeps failing.',
      runbook: 'deliveries-wait',
    });
  }

  /** Where senders find the queues. */
  get environment(): Record<string, string> {
    return {
      DELIVERY_QUEUE_URL: this.queue.queueUrl,
      ...(this.slackQueue && { SLACK_DELIVERY_QUEUE_URL: this.slackQueue.queueUrl }),
    };
  }

  sending() {
    return [this.queue, this.slackQueue].flatMap((queue) => (queue ? [sendTo(queue)] : []));
  }

  private deliverHandler(ground: Ground): Handler {
    const { config, code, table, blobs, secrets } = ground;
    const { callbackSigning, linkSigning, slack } = secrets;
    const declared = linkSigning ? declaredFor('deliver', ground) : undefined;
    const { mailboxes } = config.facts;
    const deliver = new Handler(this, 'Deliver', {
      config,
      description: 'Delivers the events of sessions to outside listeners.',
      code: code('deliver'),
      timeout,
      memorySize: 512,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        ...this.environment,
        BLOB_BUCKET: blobs.bucketName,
        ...(callbackSigning && {
          CALLBACK_SIGNING_SECRET_ID: callbackSigning.secretArn,
          CALLBACK_LOOPBACK: 'refuse',
        }),
        ...(linkSigning && { LINK_SIGNING_SECRET_ID: linkSigning.secretArn, ...declared?.environment }),
        ...(slack && slackTokenEnvironment(config, slack)),
        ...(slack && { SLACK_TASK_CARDS: config.facts.slackTaskCards ? 'on' : 'off' }),
        ...(config.facts.slackFeedback && { SLACK_FEEDBACK: 'on' }),
      },
      may: [
        onTable(
          table,
          'GetItem',
          'UpdateItem',
          'Query',
          ...(mailboxes.length > 0 ? (['PutItem'] as const) : []),
        ),
        onBlobs(blobs, 'GetObject'),
        ...this.sending(),
        ...(callbackSigning ? [readSecret(callbackSigning)] : []),
        ...(linkSigning ? [readSecret(linkSigning), ...(declared?.may ?? [])] : []),
        ...(mailboxes.length > 0 ? [sendMails(this, mailboxes)] : []),
        ...(slack
          ? [readSecret(slack.client), onSlackTokens(this, config, 'GetSecretValue', 'PutSecretValue')]
          : []),
      ],
    });
    deliver.fn.addEventSource(
      new SqsEventSource(this.queue, {
        ...one,
        maxConcurrency:
          (callbackSigning ?? linkSigning) ? config.concurrency.callbacks : config.concurrency.slack,
      }),
    );
    if (this.slackQueue)
      deliver.fn.addEventSource(
        new SqsEventSource(this.slackQueue, { ...one, maxConcurrency: config.concurrency.slack }),
      );
    return deliver;
  }
}

/** Received mails: SES stores each in the bucket and notifies a topic; a queue takes the notifications, and a function the mails. */

import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { CfnReceiptRule, ReceiptRuleSet } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { mailPrefix } from '../shared/contract/env.ts';
import { alarm } from './alarm.ts';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import { onBlobs, onTable } from './permissions.ts';
import { queueWithDeadLetters } from './queues.ts';

/** Longest time for one mail: at worst 40 MB to read, to parse and to store again. */
const timeout = Duration.minutes(2);

export class Mail extends Construct {
  readonly handler: Handler;
  readonly queue: Queue;
  /** The rule set, if it is one of this stack's: SES uses it only once it is active. */
  readonly ruleSetName: string;

  constructor(scope: Construct, id: string, props: Ground) {
    super(scope, id);
    const { config, blobs } = props;
    const { encryptionKey } = config;
    const { queue, deadLetters } = queueWithDeadLetters(this, 'Queue', { timeout, encryptionKey });
    this.queue = queue;
    const topic = new Topic(this, 'Received', {
      enforceSSL: true,
      ...(encryptionKey && { masterKey: encryptionKey }),
    });
    topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
    // Only rules of this account may store mails here and notify of them (SES developer guide, "Giving permissions").
    const account = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    const principals = [new ServicePrincipal('ses.amazonaws.com')];
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: account,
      }),
    );
    const stored = new PolicyStatement({
      principals,
      actions: ['s3:PutObject'],
      resources: [blobs.arnForObjects(`${mailPrefix}/*`)],
      conditions: account,
    });
    const { policyDependable } = blobs.addToResourcePolicy(stored);
    encryptionKey?.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ['kms:GenerateDataKey*', 'kms:Decrypt'],
        resources: ['*'],
        conditions: account,
      }),
    );
    this.ruleSetName = config.mailRuleSet ?? new ReceiptRuleSet(this, 'Rules').receiptRuleSetName;
    const rule = new CfnReceiptRule(this, 'Rule', {
      ruleSetName: this.ruleSetName,
      rule: {
        enabled: true,
        recipients: [...config.facts.mailboxes],
        // Spam and viruses are looked for, and the verdicts are in the notification.
        scanEnabled: true,
        tlsPolicy: 'Optional',
        actions: [
          {
            s3Action: {
              bucketName: blobs.bucketName,
              objectKeyPrefix: `${mailPrefix}/`,
              topicArn: topic.topicArn,
            },
          },
        ],
      },
    });
    if (policyDependable) rule.node.addDependency(policyDependable);
    rule.node.addDependency(topic);
    this.handler = this.mailHandler(props);
    alarm(this, 'MailsDie', {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 1,
      says: 'A received mail failed five times.',
      runbook: 'mails-die',
    });
  }

  private mailHandler({ config, code, table, blobs, steps }: Ground): Handler {
    const handler = new Handler(this, 'Take', {
      config,
      description: 'Takes received mails into sessions.',
      code: code('mail'),
      timeout,
      // A mail of 40 MB is held raw, parsed, and once more as it is stored.
      memorySize: 1024,
      sendsSteps: true,
      environment: {
        TABLE_NAME: table.tableName,
        ...steps.environment,
        BLOB_BUCKET: blobs.bucketName,
      },
      may: [
        onTable(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'Query'),
        onBlobs(blobs, 'GetObject', 'PutObject'),
        steps.sending(),
      ],
    });
    handler.fn.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
    return handler;
  }
}

/** The whole system in one stack: one construct for each capability, wired together here and only here. */

import { CfnOutput, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { output } from '../shared/contract/env.ts';
import { slackRoutes } from '../shared/contract/routes.ts';
import { Agui } from './agui.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { BlobBucket } from './blobs.ts';
import type { Bundles } from './bundle.ts';
import { Deliveries } from './deliveries.ts';
import { HttpApi } from './http-api.ts';
import { declareParameters } from './parameters.ts';
import { Secrets } from './secrets.ts';
import { Slack } from './slack.ts';
import { SocketApi } from './socket-api.ts';
import { StepQueue } from './step-queue.ts';
import { Steps } from './steps.ts';
import { Sweep } from './sweep.ts';
import { SessionTable } from './table.ts';
import { ToolQueue, Tools } from './tools.ts';

export interface SteploopStackProps {
  /** Folder of each function's bundle. */
  bundles: Bundles;
}

/** The whole deployment, as one stack. */
export class SteploopStack extends Stack {
  constructor(scope: Construct, id: string, { bundles }: SteploopStackProps) {
    super(scope, id, {
      description: 'Steploop: an agent on queues. One message is one step.',
      analyticsReporting: false,
      // The bootstrap version is checked by the CLI as well; the rule would add a parameter that is not ours.
      synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    });
    const parameters = declareParameters(this);
    const table = new SessionTable(this, 'Table');
    const blobs = new BlobBucket(this, 'Blobs');
    const secrets = new Secrets(this, 'Secrets');
    const steps = new StepQueue(this, 'StepQueue');
    const stepQueue = steps.queue;
    const tools = new ToolQueue(this, 'ToolQueue');
    const deliveries = new Deliveries(this, 'Deliveries', {
      table,
      blobs,
      secrets,
      parameters,
      code: bundles.deliver,
    });
    const deliveryQueue = deliveries.queue;
    const shared = { table, blobs, secrets, parameters, stepQueue, deliveryQueue };

    const socket = new SocketApi(this, 'SocketApi', { ...shared, code: bundles.socket });
    new Steps(this, 'Steps', {
      ...shared,
      steps,
      tools,
      socket,
      code: { step: bundles.step, deadLetter: bundles['dead-letter'] },
    });
    new Tools(this, 'Tools', { ...shared, tools, code: bundles.tool });
    new Sweep(this, 'Sweeper', { ...shared, toolQueue: tools.queue, socket, code: bundles.sweep });
    const http = new HttpApi(this, 'HttpApi', {
      ...shared,
      code: { http: bundles.http, hooks: bundles.hooks },
    });

    const slack = new Slack(this, 'Slack', {
      ...shared,
      deliveryQueue,
      code: { app: bundles.slack, jobs: bundles['slack-jobs'] },
    });
    http.serve(slackRoutes, 'SlackIntegration', slack.app);

    const agui = new Agui(this, 'Agui', { ...shared, code: bundles.agui });

    const alarms = new AlarmTopic(this, 'Alarms', parameters);
    alarms.hearAll(this);

    const outputs: Record<keyof typeof output, string> = {
      HttpUrl: http.api.apiEndpoint,
      SocketUrl: socket.url,
      AguiUrl: agui.url,
      TableName: table.tableName,
      StepQueueUrl: stepQueue.queueUrl,
      DeadLetterQueueUrl: steps.deadLetters.queueUrl,
      ToolQueueUrl: tools.queue.queueUrl,
      DeliveryQueueUrl: deliveryQueue.queueUrl,
      BlobBucketName: blobs.bucketName,
      AlarmsTopicArn: alarms.arn,
      ModelKeySecretArn: secrets.modelKey.secretArn,
      SecondModelKeySecretArn: secrets.secondModelKey.secretArn,
      GithubTokenSecretArn: secrets.githubToken.secretArn,
      GithubWebhookSecretArn: secrets.githubWebhook.secretArn,
      WebhookSecretsArn: secrets.webhooks.secretArn,
      CallbackSigningSecretArn: secrets.callbackSigning.secretArn,
      ApiTokenSecretArn: secrets.apiToken.secretArn,
      SlackSigningSecretArn: secrets.slackSigning.secretArn,
      SlackClientSecretArn: secrets.slackClient.secretArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

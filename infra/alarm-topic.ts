/** The target of alarms: a topic of the construct's own, the operator's topic, or none. */

import { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

export class Alarms extends Construct {
  /** The topic that alarms notify; undefined if there is none. */
  readonly topic: ITopic | undefined;

  constructor(scope: Construct, id: string, { alarms, name }: Config) {
    super(scope, id);
    if (alarms === false || alarms.topic === 'none') return;
    this.topic = alarms.topic ?? this.own(name);
    if (alarms.email !== undefined)
      new Subscription(this, 'Email', {
        topic: this.topic,
        protocol: SubscriptionProtocol.EMAIL,
        endpoint: alarms.email,
      });
  }

  /** Connects every alarm in `scope` to the topic, for the alarm and for its end. */
  hearAll(scope: Construct): void {
    const action = this.topic && new SnsAction(this.topic);
    for (const alarm of scope.node.findAll()) {
      if (!action || !(alarm instanceof Alarm)) continue;
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }

  private own(name: string): Topic {
    // The topic has no encryption key: CloudWatch may not use AWS's own key for SNS, and a customer key would cost more than the
    // rest of an idle stack. The text of an alarm names the alarm and contains no session data.
    const topic = new Topic(this, 'Topic', { displayName: `Steploop alarms of ${name}`, enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }
}

/** Removes every alarm in `scope`. */
export function withoutAlarms(scope: Construct): void {
  for (const alarm of scope.node.findAll()) {
    if (alarm instanceof Alarm) alarm.node.scope?.node.tryRemoveChild(alarm.node.id);
  }
}

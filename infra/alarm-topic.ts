/** Where alarms go: a topic of the stack's own, or the operator's. */

import { CfnCondition, Fn, Stack } from 'aws-cdk-lib';
import { Alarm, type IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Parameters } from './parameters.ts';

/** The topic, with the subscription of `AlarmEmail` if one is given. `AlarmTopicArn` names another one in its place. */
export class AlarmTopic extends Construct {
  /** ARN of the topic that alarms are told to. */
  readonly arn: string;

  constructor(scope: Construct, id: string, { alarmEmail, alarmTopicArn }: Parameters) {
    super(scope, id);
    // Not encrypted with a key: CloudWatch may not use AWS's own for SNS, and one of ours costs more than all the rest
    // of an idle stack. An alarm's text says which one rang, and nothing of any session.
    const topic = new Topic(this, 'Topic', { displayName: 'Steploop alarms', enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    const isGiven = (name: string, value: string) =>
      new CfnCondition(this, name, { expression: Fn.conditionNot(Fn.conditionEquals(value, 'none')) });
    const email = new CfnSubscription(this, 'Email', {
      topicArn: topic.topicArn,
      protocol: 'email',
      endpoint: alarmEmail.valueAsString,
    });
    email.cfnOptions.condition = isGiven('HasEmail', alarmEmail.valueAsString);
    const other = isGiven('HasOtherTopic', alarmTopicArn.valueAsString);
    this.arn = Fn.conditionIf(other.logicalId, alarmTopicArn.valueAsString, topic.topicArn).toString();
  }

  /** Makes every alarm in `scope` tell the topic: when it rings, and when that is over. */
  hearAll(scope: Construct): void {
    const action: IAlarmAction = { bind: () => ({ alarmActionArn: this.arn }) };
    for (const alarm of scope.node.findAll()) {
      if (!(alarm instanceof Alarm)) continue;
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }
}

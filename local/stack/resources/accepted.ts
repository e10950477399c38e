import { arnOf, globalArn, physicalName, stableId } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, optionalText, requiredText } from '../template/properties.ts';

type Accept = (item: Declared, site: Site) => Created;

/**
 * Types that a template may contain and that do nothing here. Resource policies and Lambda permissions are among them: they are
 * NOT enforced, so errors in them show only on AWS.
 */
export const ACCEPTED: Record<string, Accept> = {
  'AWS::Lambda::Permission': anonymous,
  'AWS::Lambda::EventInvokeConfig': anonymous,
  'AWS::Lambda::CapacityProvider': named('CapacityProviderName', (name) =>
    arnOf('lambda', `capacity-provider:${name}`),
  ),
  'AWS::SQS::QueuePolicy': anonymous,
  'AWS::S3::BucketPolicy': anonymous,
  'AWS::SecretsManager::ResourcePolicy': anonymous,
  'AWS::ApiGatewayV2::Deployment': anonymous,
  'AWS::Logs::LogGroup': named('LogGroupName', (name) => `${arnOf('logs', `log-group:${name}`)}:*`),
  // Nothing is encrypted here: the key is only a name.
  'AWS::KMS::Key': key,
  'AWS::KMS::Alias': (item) => ({ ref: requiredText(item, 'AliasName'), attributes: {} }),
  'AWS::CloudWatch::Alarm': named('AlarmName', (name) => arnOf('cloudwatch', `alarm:${name}`)),
  'AWS::SNS::Topic': byArn('TopicName', (name) => arnOf('sns', name)),
  'AWS::SNS::TopicPolicy': anonymous,
  'AWS::SNS::Subscription': mailed,
  // The emulated mailbox does their work (local/mail/).
  'AWS::SES::ReceiptRuleSet': named('RuleSetName', (name) => arnOf('ses', `receipt-rule-set/${name}`)),
  'AWS::SES::ReceiptRule': anonymous,
  'AWS::CloudWatch::Dashboard': named('DashboardName', (name) =>
    globalArn('cloudwatch', `dashboard/${name}`),
  ),
};

/** `Ref` is the name. */
function named(property: string, arn: (name: string) => string): Accept {
  return (item, site) => {
    const name = optionalText(item, property) ?? physicalName(site.stackName, item.id, 128);
    return { ref: name, attributes: { Arn: arn(name) } };
  };
}

/** `Ref` is the ARN. */
function byArn(property: string, arn: (name: string) => string): Accept {
  return (item, site) => {
    const { attributes } = named(property, arn)(item, site);
    return { ref: attributes.Arn ?? '', attributes };
  };
}

/** `Ref` is the id. */
function key(item: Declared, site: Site): Created {
  const id = stableId(site.stackName, item.id);
  return { ref: id, attributes: { Arn: arnOf('kms', `key/${id}`), KeyId: id } };
}

/**
 * Topics publish nothing here, so a function that subscribes to one would never be called. The queue of received mails does: the
 * emulated mailbox sends to it what SES would publish.
 */
function mailed(item: Declared, site: Site): Created {
  const protocol = optionalText(item, 'Protocol');
  if (protocol !== 'email' && protocol !== 'sqs')
    throw new Error(`a topic's subscription over ${protocol} is not emulated`);
  return anonymous(item, site);
}

function anonymous(item: Declared, site: Site): Created {
  const id = stableId(site.stackName, item.id);
  return { ref: id, attributes: { Id: id } };
}

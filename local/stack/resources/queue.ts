import { arnOf, physicalName } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, flag, optionalNumber, optionalText } from '../template/properties.ts';

/** SQS's own defaults, set explicitly so that an earlier template's value does not stay. Seconds and bytes. */
const DEFAULTS = {
  VisibilityTimeout: 30,
  DelaySeconds: 0,
  MaximumMessageSize: 1_048_576,
  MessageRetentionPeriod: 345_600,
  ReceiveMessageWaitTimeSeconds: 0,
};

/**
 * AWS::SQS::Queue. An existing queue keeps its messages and takes over the template's settings. `Ref` is a URL with this start's
 * port, so it is right after a restart too; the embedded SQS finds queues by the name in the URL.
 */
export async function createQueue(item: Declared, site: Site): Promise<Created> {
  const fifo = flag(item, 'FifoQueue', false);
  const name =
    optionalText(item, 'QueueName') ?? physicalName(site.stackName, item.id, 75) + (fifo ? '.fifo' : '');
  // Created without attributes, because SQS refuses to "create" an existing queue with different ones.
  const { QueueUrl } = await site.sqs('CreateQueue', { QueueName: name });
  await site.sqs('SetQueueAttributes', { QueueUrl, Attributes: attributesOf(item) });
  const url = `${site.facing.sqs}/${String(QueueUrl).split('/').slice(-2).join('/')}`;
  return { ref: url, attributes: { Arn: arnOf('sqs', name), QueueName: name, QueueUrl: url } };
}

function attributesOf(item: Declared): Record<string, string> {
  const numbers = Object.entries(DEFAULTS).map(([name, usual]) => [
    name,
    String(optionalNumber(item, name) ?? usual),
  ]);
  const redrive = item.properties.RedrivePolicy;
  return {
    ...Object.fromEntries(numbers),
    // An empty policy removes the one of an earlier template.
    RedrivePolicy: redrive === undefined ? '' : JSON.stringify(redrive),
    ...(flag(item, 'ContentBasedDeduplication', false) ? { ContentBasedDeduplication: 'true' } : {}),
  };
}

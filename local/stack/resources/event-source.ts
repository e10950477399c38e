import { startQueuePoller } from '../events/queue-poller.ts';
import { stableId } from '../identity.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, flag, nested, optionalNumber, requiredText, texts } from '../template/properties.ts';

/** Lambda's default batch size for queues. */
const DEFAULT_BATCH_SIZE = 10;

/** Our own choice for mappings without ScalingConfig, where Lambda would go to 1,250. */
const DEFAULT_CONCURRENCY = 10;

/** Lambda's own access to a queue in the function's role. */
const TAKES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/**
 * AWS::Lambda::EventSourceMapping on a queue. Throws for other sources, and if the function's role may not receive its messages.
 * Filters are refused, because ignoring them would change behaviour.
 */
export function createEventSource(item: Declared, site: Site): Created {
  const queueArn = requiredText(item, 'EventSourceArn');
  if (!queueArn.startsWith('arn:aws:sqs:'))
    throw new Error(`${item.id}: only queues are event sources here, not ${queueArn}`);
  if (item.properties.FilterCriteria !== undefined)
    throw new Error(`${item.id}: FilterCriteria is not supported`);
  const target = functionAt(site, requiredText(item, 'FunctionName'));
  const missing = TAKES.find(
    (action) =>
      site.access.refusalOf(target.settings.accessKey, [{ action, resource: queueArn }]) !== undefined,
  );
  if (missing)
    throw new Error(
      `the role of ${target.settings.id} does not allow ${missing} on ${queueArn}, which Lambda refuses`,
    );
  const settings = {
    queueArn,
    queueUrl: `/${queueArn.split(':').slice(-2).join('/')}`,
    batchSize: optionalNumber(item, 'BatchSize') ?? DEFAULT_BATCH_SIZE,
    windowMs: (optionalNumber(item, 'MaximumBatchingWindowInSeconds') ?? 0) * 1000,
    concurrency: optionalNumber(nested(item, 'ScalingConfig'), 'MaximumConcurrency') ?? DEFAULT_CONCURRENCY,
    reportsFailures: texts(item, 'FunctionResponseTypes').includes('ReportBatchItemFailures'),
  };
  if (flag(item, 'Enabled', true))
    site.pollers.push(() => startQueuePoller(settings, target, site.sqs, site.notice));
  const id = stableId(site.stackName, item.id);
  return { ref: id, attributes: { Id: id } };
}

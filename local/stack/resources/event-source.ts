import { startQueuePoller } from '../events/queue-poller.ts';
import { stableId } from '../identity.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, flag, nested, optionalNumber, requiredText, texts } from '../template/properties.ts';
import { mappingWrong } from './lambda-limits.ts';

/** Lambda's default batch size for queues. */
const DEFAULT_BATCH_SIZE = 10;

/** Our own choice for mappings without ScalingConfig, where Lambda would go to 1,250. */
const DEFAULT_CONCURRENCY = 10;

/** Lambda's own access to a queue in the function's role. */
const TAKES = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/**
 * AWS::Lambda::EventSourceMapping on a queue. Throws for other sources, if it exceeds a limit of Lambda, and if the function's role
 * may not receive its messages. Filters are refused, because ignoring them would change behaviour. Not checked: Lambda refuses a
 * queue that hides messages for less than the function's timeout.
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
  const batchSize = optionalNumber(item, 'BatchSize') ?? DEFAULT_BATCH_SIZE;
  const windowSeconds = optionalNumber(item, 'MaximumBatchingWindowInSeconds') ?? 0;
  const concurrency = optionalNumber(nested(item, 'ScalingConfig'), 'MaximumConcurrency');
  const wrong = mappingWrong({ batchSize, windowSeconds, concurrency });
  if (wrong) throw new Error(`${item.id}: ${wrong}`);
  const settings = {
    queueArn,
    queueUrl: `/${queueArn.split(':').slice(-2).join('/')}`,
    batchSize,
    windowMs: windowSeconds * 1000,
    concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    reportsFailures: texts(item, 'FunctionResponseTypes').includes('ReportBatchItemFailures'),
  };
  if (flag(item, 'Enabled', true))
    site.pollers.push(() => startQueuePoller(settings, target, site.sqs, site.notice));
  const id = stableId(site.stackName, item.id);
  return { ref: id, attributes: { Id: id } };
}

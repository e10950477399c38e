import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import type { Settlement } from '../../shared/agent/ports/ports.ts';
import type { Invocation } from '../../shared/agent/ports/queue.ts';

import { contentOf, type DueSchedules, RECENT } from '../../shared/contract/queue.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { errorFacts, log } from '../../shared/logger.ts';

interface How {
  /** How a message that does not belong to this queue is settled. */
  readonly onUnreadable?: Settlement;
  /** Level of the log line for a handled message. A step writes a line of its own, so its queue uses `debug`. */
  readonly acked?: 'debug' | 'info';
}

type Settle<Body> = (body: Body, invocation: Invocation) => Promise<Settlement>;

/**
 * Settles each message of a batch separately (partial batch responses). A rejected message comes back, and after its last try
 * becomes a dead letter.
 *
 * @param schema the shape of this queue's messages
 */
export async function settleBatch<Body extends SessionKey | DueSchedules>(
  { Records }: SQSEvent,
  context: Context,
  schema: z.ZodType<Body>,
  settle: Settle<Body>,
  how: How = {},
): Promise<SQSBatchResponse> {
  const settlements = await Promise.all(
    Records.map((record) => settleOne(record, context, schema, settle, how)),
  );
  const failed = Records.filter((_record, i) => settlements[i] === 'retry');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function settleOne<Body extends SessionKey | DueSchedules>(
  record: SQSRecord,
  context: Context,
  schema: z.ZodType<Body>,
  settle: Settle<Body>,
  { onUnreadable = 'retry', acked = 'info' }: How,
): Promise<Settlement> {
  const { messageId, receiptHandle, eventSourceARN, attributes } = record;
  const sentAt = Number(attributes?.SentTimestamp);
  const queue = eventSourceARN.slice(eventSourceARN.lastIndexOf(':') + 1);
  const body = parse(schema, record);
  if (!body) {
    log('error', 'a queue message cannot be read', { messageId, settlement: onUnreadable });
    return onUnreadable;
  }
  const startedAt = Date.now();
  const facts = { ...namesIn(body), messageId };
  try {
    const settlement = await settle(body, {
      id: context.awsRequestId,
      message: { messageId, receiptHandle, queue, ...(sentAt > 0 && { sentAt }) },
      deadlineAt: startedAt + context.getRemainingTimeInMillis(),
    });
    const ms = Date.now() - startedAt;
    if (settlement === 'ack') log(acked, 'settled', { ...facts, ms });
    else log('info', 'a message was left to come back', { ...facts, ms });
    return settlement;
  } catch (error) {
    if (error instanceof TenantKeyDeleted) {
      log('info', 'a message of a tenant whose key was deleted was dropped', facts);
      return 'ack';
    }
    log('error', 'a message failed; it comes back', { ...facts, ...errorFacts(error) });
    return 'retry';
  }
}

/** The session of a message, for the log. A message for schedules has none. */
const namesIn = (body: SessionKey | DueSchedules): Partial<SessionKey> =>
  'sessionId' in body ? { sessionId: body.sessionId, tenant: body.tenant } : {};

function parse<Body>(schema: z.ZodType<Body>, { body, messageAttributes }: SQSRecord): Body | undefined {
  try {
    return schema.parse(contentOf(body, messageAttributes?.[RECENT]?.stringValue));
  } catch {
    return undefined;
  }
}

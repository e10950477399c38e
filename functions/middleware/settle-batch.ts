import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Settlement } from '../../shared/agent/commit.ts';
import type { Invocation } from '../../shared/agent/ports.ts';
import { Wake } from '../../shared/contract/queue.ts';
import { errorFacts, log } from './log.ts';

type SettleWake = (wake: Wake, invocation: Invocation) => Promise<Settlement>;

/**
 * Settles each message of a batch by itself (partial batch responses). What rejects comes back, and after enough
 * tries becomes a dead letter.
 *
 * @param onUnreadable what becomes of a message that is no wake
 */
export async function settleBatch(
  { Records }: SQSEvent,
  context: Context,
  settle: SettleWake,
  onUnreadable: Settlement = 'retry',
): Promise<SQSBatchResponse> {
  const settlements = await Promise.all(
    Records.map((record) => settleOne(record, context, settle, onUnreadable)),
  );
  const failed = Records.filter((_record, i) => settlements[i] === 'retry');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function settleOne(
  record: SQSRecord,
  context: Context,
  settle: SettleWake,
  onUnreadable: Settlement,
): Promise<Settlement> {
  const { messageId, receiptHandle } = record;
  const wake = parse(record.body);
  if (!wake) {
    log('error', 'a queue message is not a wake', { messageId, settlement: onUnreadable });
    return onUnreadable;
  }
  const startedAt = Date.now();
  const facts = { sessionId: wake.sessionId, tenant: wake.tenant, messageId };
  try {
    const settlement = await settle(wake, {
      id: context.awsRequestId,
      message: { messageId, receiptHandle },
      deadlineAt: startedAt + context.getRemainingTimeInMillis(),
    });
    log('info', 'settled', { ...facts, settlement, ms: Date.now() - startedAt });
    return settlement;
  } catch (error) {
    log('error', 'a step failed; its message comes back', { ...facts, ...errorFacts(error) });
    return 'retry';
  }
}

function parse(body: string): Wake | undefined {
  try {
    return Wake.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

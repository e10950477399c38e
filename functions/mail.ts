import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { TenantKeyDeleted } from '../shared/agent/plain/tenant-key-deleted.ts';
import { notificationIn } from '../shared/email/notification.ts';
import { errorFacts, log } from '../shared/logger.ts';
import { takeMail } from './mail/take.ts';
import { mailPorts } from './ports/mail.ts';

const context = mailPorts();

/** Consumer of the queue of received mails. A mail that failed comes back, and after its last try becomes a dead letter. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
  const failed: string[] = [];
  // One after the other, because a mail may need a large part of the function's memory.
  for (const record of Records) if (!(await settle(record))) failed.push(record.messageId);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
});

async function settle({ messageId, body }: SQSRecord): Promise<boolean> {
  const notification = notificationIn(body);
  if (!notification) {
    log('error', 'a queue message is not a notification of a mail', { messageId });
    return false;
  }
  const facts = { mail: notification.mail.messageId, messageId };
  try {
    await takeMail(notification, context);
    log('info', 'settled', facts);
    return true;
  } catch (error) {
    if (error instanceof TenantKeyDeleted) {
      log('info', 'a message of a tenant whose key was deleted was dropped', {
        tenant: error.tenant,
        messageId,
      });
      return true;
    }
    log('error', 'a mail failed; it comes back', { ...facts, ...errorFacts(error) });
    return false;
  }
}

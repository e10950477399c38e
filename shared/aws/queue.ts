import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { MAX_DELAY_MS, type Queue } from '../agent/ports.ts';

/** SQS refuses to hide a message for longer. */
const MAX_HIDE_SECONDS = 12 * 3600;

/**
 * The step queue on SQS: standard, with the tenant as message group, so that one busy tenant delays the others
 * little (fair queues). A send that the SDK repeats makes two messages, which the claim makes one step of.
 */
export function createQueue(client: SQSClient, queueUrl: string): Queue {
  return {
    async send(wake, delayMs = 0) {
      if (delayMs > MAX_DELAY_MS) throw new RangeError(`a wake cannot be delayed by ${delayMs} ms`);
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(wake),
          MessageGroupId: wake.tenant,
          DelaySeconds: Math.max(0, Math.ceil(delayMs / 1000)),
        }),
      );
    },

    async hide({ receiptHandle }, ms) {
      const seconds = Math.min(MAX_HIDE_SECONDS, Math.max(0, Math.ceil(ms / 1000)));
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      });
      // The message comes back sooner or later than it might: time is lost, nothing else.
      await client.send(command).catch(() => undefined);
    },
  };
}

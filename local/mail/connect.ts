import { outputOf } from '../deployed.ts';
import type { Site } from '../site.ts';
import type { Mailbox } from './mailbox.ts';

/** Connects the emulated mailbox to the deployment of this machine. */
export function connectMailbox(
  mailbox: Mailbox,
  { deployed, stack }: Pick<Site, 'deployed' | 'stack'>,
): void {
  const { sqs, s3 } = stack.endpoints;
  mailbox.connect({
    endpoints: { sqs, s3 },
    bucket: outputOf(deployed, stack, 'BlobBucketName'),
    queueUrl: outputOf(deployed, stack, 'MailQueueUrl'),
  });
}

import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { sendTo } from './permissions.ts';

export interface QueueProps {
  /** `SteploopProps.encryptionKey`. */
  readonly encryptionKey: IKey | undefined;
  /** Timeout of the function that consumes it. */
  readonly timeout: Duration;
  /** Receives of a message before it is a dead letter. */
  readonly receives?: number;
  /** Timeout of the function that consumes the dead letters, if one does. */
  readonly deadLetterTimeout?: Duration;
}

/** A queue, and the queue for messages that were received too often. */
export interface Queues {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** Queues that a function sends to: their names in its environment, and the permissions. */
export interface Senders {
  readonly environment: Readonly<Record<string, string>>;
  sending(): ReturnType<typeof sendTo>[];
}

/** Default number of receives before a message becomes a dead letter. */
const RECEIVES = 5;

/** Encrypted, and TLS only. With a customer's key, SQS uses a data key for an hour, so that calls of the key cost next to nothing. */
const safe = (encryptionKey: IKey | undefined) => ({
  enforceSSL: true,
  ...(encryptionKey
    ? {
        encryption: QueueEncryption.KMS,
        encryptionMasterKey: encryptionKey,
        dataKeyReuse: Duration.hours(1),
      }
    : { encryption: QueueEncryption.SQS_MANAGED }),
});

/** A queue and its dead-letter queue. Both are encrypted, and accept TLS only. */
export function queueWithDeadLetters(
  scope: Construct,
  id: string,
  { timeout, encryptionKey, receives = RECEIVES, deadLetterTimeout }: QueueProps,
): Queues {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...safe(encryptionKey),
    retentionPeriod: Duration.days(14),
    ...(deadLetterTimeout && { visibilityTimeout: visibleAfter(deadLetterTimeout) }),
  });
  const queue = new Queue(scope, id, {
    ...safe(encryptionKey),
    visibilityTimeout: visibleAfter(timeout),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: receives },
  });
  return { queue, deadLetters };
}

/** Another queue of the same kind, with the same dead letters. */
export const queueBeside = (
  { queue, deadLetters }: Queues,
  id: string,
  {
    timeout,
    name,
    encryptionKey,
  }: Pick<QueueProps, 'timeout' | 'encryptionKey'> & { readonly name?: string },
): Queue =>
  new Queue(queue.node.scope as Construct, id, {
    ...safe(encryptionKey),
    ...(name && { queueName: name }),
    visibilityTimeout: visibleAfter(timeout),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: RECEIVES },
  });

/** SQS requires at least the timeout of the function: when a message comes back, its previous consumer is dead. */
const visibleAfter = (timeout: Duration): Duration => timeout.plus(Duration.seconds(30));

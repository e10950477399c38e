import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface QueueProps {
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

/** Default number of receives before a message becomes a dead letter. */
const RECEIVES = 5;

/** Encrypted, and TLS only. */
const safe = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/** A queue and its dead-letter queue. Both are encrypted, and accept TLS only. */
export function queueWithDeadLetters(
  scope: Construct,
  id: string,
  { timeout, receives = RECEIVES, deadLetterTimeout }: QueueProps,
): Queues {
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...safe,
    retentionPeriod: Duration.days(14),
    ...(deadLetterTimeout && { visibilityTimeout: visibleAfter(deadLetterTimeout) }),
  });
  const queue = new Queue(scope, id, {
    ...safe,
    visibilityTimeout: visibleAfter(timeout),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: receives },
  });
  return { queue, deadLetters };
}

/** Another queue of the same kind, with the same dead letters. */
export const queueBeside = (
  { queue, deadLetters }: Queues,
  id: string,
  { timeout, name }: { readonly timeout: Duration; readonly name: string },
): Queue =>
  new Queue(queue.node.scope as Construct, id, {
    ...safe,
    queueName: name,
    visibilityTimeout: visibleAfter(timeout),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: RECEIVES },
  });

/** SQS requires at least the timeout of the function: when a message comes back, its previous consumer is dead. */
const visibleAfter = (timeout: Duration): Duration => timeout.plus(Duration.seconds(30));

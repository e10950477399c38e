/** The queue of steps and the queue of those that failed. Their consumers are in steps.ts. */

import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarm } from './alarm.ts';
import { queueWithDeadLetters } from './queues.ts';

/** How long a step may run, and a dead letter be looked at, before Lambda kills it. */
export const timeout = { step: Duration.minutes(5), deadLetter: Duration.minutes(1) };

export class StepQueue extends Construct {
  /** One message is one wake of one session. Standard: the session's HEAD orders and fences, not the queue. */
  readonly queue: Queue;
  /** Wakes that failed five times. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // Visible again after the timeout, not after the recommended six times that: a killed step would be retried after half an hour. The step shortens its
    // own message to its lease as soon as it owns the session, and a second delivery of a running step is refused by the
    // lease, so short is safe here.
    const { step, deadLetter } = timeout;
    const queues = queueWithDeadLetters(this, 'Wakes', { timeout: step, deadLetterTimeout: deadLetter });
    this.queue = queues.queue;
    this.deadLetters = queues.deadLetters;
    alarm(this, 'StepsWait', {
      // A wake may be 15 minutes old by design (the longest delay), and one step may take 5.
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      atLeast: Duration.minutes(30).toSeconds(),
      periods: 5,
      says: 'Sessions wait more than half an hour for a step: too little concurrency, or a step that keeps failing.',
      runbook: 'steps-wait',
    });
    alarm(this, 'DeadLettersStay', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 3,
      says: 'The dead-letter queue is not being emptied: its own consumer fails.',
      runbook: 'dead-letters',
    });
  }
}

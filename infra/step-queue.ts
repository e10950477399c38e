/** The step queues and their dead-letter queue. Their consumers are in steps.ts. */

import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { env } from '../shared/contract/env.ts';
import { alarm } from './alarm.ts';
import type { Config } from './config.ts';
import { queueBeside, queueWithDeadLetters } from './queues.ts';

/** How long a step may run, and a dead letter be handled, before Lambda kills the function. */
export const timeout = { step: Duration.minutes(5), deadLetter: Duration.minutes(1) };

export class StepQueue extends Construct {
  /** One message is one wake of one session. It is a standard queue, because the session's HEAD orders and fences. */
  readonly queue: Queue;
  /** The same for each lane, `queue` first. */
  readonly lanes: readonly Queue[];
  /** Wakes that failed five times, of all lanes. */
  readonly deadLetters: Queue;
  /** The environment of a function that sends wakes. */
  readonly environment: Readonly<Partial<Record<keyof typeof env, string>>>;

  /**
   * Names of all lanes but the first, without their numbers. Functions build the addresses from it, since 64 of them do not fit
   * into an environment.
   */
  private readonly laneName: string;

  constructor(scope: Construct, id: string, { lanes, name, encryptionKey }: Config) {
    super(scope, id);
    this.laneName = `${name}-steps-`;
    // Visible again after the timeout, not after the recommended six times that: a killed step would be retried after half an
    // hour. The step shortens its own message to its lease as soon as it owns the session, and the lease refuses a second
    // delivery of a running step, so a short timeout is safe here.
    const { step, deadLetter } = timeout;
    const queues = queueWithDeadLetters(this, 'Wakes', {
      timeout: step,
      deadLetterTimeout: deadLetter,
      encryptionKey,
    });
    this.queue = queues.queue;
    this.deadLetters = queues.deadLetters;
    const more = Array.from({ length: lanes.consumes - 1 }, (_, i) =>
      queueBeside(queues, `Lane${i + 1}`, { timeout: step, name: `${this.laneName}${i + 1}`, encryptionKey }),
    );
    this.lanes = [this.queue, ...more];
    this.environment = {
      STEP_QUEUE_URL: this.queue.queueUrl,
      ...(lanes.sends > 1 && { STEP_LANES: String(lanes.sends), STEP_LANE_NAME: this.laneName }),
    };
    this.lanes.forEach((queue, lane) => {
      alarm(this, lane === 0 ? 'StepsWait' : `StepsWait${lane}`, {
        // A wake may be 15 minutes old by design (the longest delay), and one step may take 5.
        metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
        atLeast: Duration.minutes(30).toSeconds(),
        periods: 5,
        says: 'Sessions wait more than half an hour for a step: too little concurrency, or a step that keeps failing.',
        runbook: 'steps-wait',
      });
    });
    alarm(this, 'DeadLettersStay', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      atLeast: 1,
      periods: 3,
      says: 'The dead-letter queue is not being emptied: its own consumer fails.',
      runbook: 'dead-letters',
    });
  }

  /** Sends wakes. The lanes are named by prefix, because 64 ARNs do not fit into a role's policies. */
  sending(): PolicyStatement {
    return this.on('sqs:SendMessage');
  }

  /** Lambda's own access to the queues in the consumer's role, and hiding messages. */
  consuming(): PolicyStatement {
    return this.on(
      'sqs:ReceiveMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
    );
  }

  private on(...actions: string[]): PolicyStatement {
    const others = Stack.of(this).formatArn({
      service: 'sqs',
      resource: `${this.laneName}*`,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    });
    return new PolicyStatement({
      actions,
      resources: [this.queue.queueArn, ...(this.lanes.length > 1 ? [others] : [])],
    });
  }
}

import type { CallMessage, Delivery, DueSchedules, Wake } from '../../contract/queue.ts';

/** The step queue, and the queues of deliveries to external listeners. */
export interface Queue {
  /** Sends a wake. `delayMs` is rounded up to seconds; at most 900,000 (SQS). */
  send(wake: Wake, delayMs?: number): Promise<void>;
  /** Says that schedules may be due, on the step queue. `delayMs` as for `send`. */
  due(schedules: DueSchedules, delayMs?: number): Promise<void>;
  /** Says that there may be news of a session for external listeners, all or those of a kind. `delayMs` as for `send`. */
  deliver(key: Delivery, delayMs?: number): Promise<void>;
  /** Sends a call to the tool queue. */
  call(call: CallMessage): Promise<void>;
  /** Hides this invocation's own message for `ms` from now. Best effort. */
  hide(message: MessageHandle, ms: number): Promise<void>;
}

/** This invocation: its id as a claimant, its message, and its deadline. */
export interface Invocation {
  /** Unique per invocation (Lambda's request id). */
  readonly id: string;
  readonly message: MessageHandle;
  /** Epoch ms at which the platform kills it. */
  readonly deadlineAt: number;
}

export interface MessageHandle {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** Name of the queue that it came from, if its consumer may have several. */
  readonly queue?: string;
  /** When it was sent, by the queue's clock: epoch ms. Absent if the queue does not report it. */
  readonly sentAt?: number;
}

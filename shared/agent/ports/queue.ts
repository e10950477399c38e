import type { CallMessage, Delivery, Wake } from '../../contract/queue.ts';

/** The step queue, and the one of deliveries to listeners outside. */
export interface Queue {
  /** Sends a wake. `delayMs` is rounded up to seconds; at most 900,000 (SQS). */
  send(wake: Wake, delayMs?: number): Promise<void>;
  /** Says that listeners outside may have something to hear of a session. `delayMs` as for `send`. */
  deliver(key: Delivery, delayMs?: number): Promise<void>;
  /** Sends a call to the tool queue. */
  call(call: CallMessage): Promise<void>;
  /** Hides this invocation's own message for `ms` from now. Best effort. */
  hide(message: MessageHandle, ms: number): Promise<void>;
}

/** This invocation: who claims, with which message, and until when it may run. */
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
  /** Name of the queue that it came from, where its consumer may have several. */
  readonly queue?: string;
  /** When it was sent, by the queue's clock: epoch ms. Absent where the queue does not say. */
  readonly sentAt?: number;
}

import { defined } from '../agent/plain/defined.ts';
import type { Clock, Ids } from '../agent/ports/ports.ts';
import type { MessageHandle, Queue } from '../agent/ports/queue.ts';
import { MAX_DELAY_MS } from '../agent/session/wake.ts';
import type { CallMessage, Delivery, DueSchedules, Wake } from '../contract/queue.ts';
import { copy } from './copy.ts';

export interface QueueOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'next'>;
  /** How long a received message is hidden (330 s, as `infra/steps.ts` has it). */
  readonly visibilityMs?: number;
  /** Receives after which a message moves to the dead-letter queue (5). */
  readonly maxReceiveCount?: number;
}

/** A message as a receiver gets it. */
export interface Received<Body = Wake> {
  readonly handle: MessageHandle;
  readonly wake: Body;
  /** This receive included. */
  readonly receiveCount: number;
}

/** The side of a queue that only a test or a simulator sees: a bag, so any visible message may be the next. */
export interface Bag<Body> {
  /** Ids of the messages that may be received now, in the order they were sent. */
  visible(): string[];
  /** Receives one visible message: the given one, or the first. */
  receive(messageId?: string): Received<Body> | undefined;
  /** Deletes a message by the handle of its last receive. Older handles do nothing. */
  delete(handle: MessageHandle): void;
  /** When the next hidden message becomes visible. */
  nextVisibleAt(): number | undefined;
  /** All messages that are neither deleted nor dead. */
  messages(): { readonly messageId: string; readonly wake: Body; readonly visibleAt: number }[];
  /** Bodies that were received too often, oldest first. */
  deadLetters(): Body[];
  /** Removes and returns the oldest dead letter. */
  takeDeadLetter(): Body | undefined;
}

/** The step queue, and beside it those of calls and of deliveries. */
export interface MemoryQueue extends Queue, Bag<Wake> {
  readonly calls: Bag<CallMessage>;
  readonly deliveries: Bag<Delivery>;
  /** Messages for schedules, which are on the step queue of AWS. */
  readonly schedules: Bag<DueSchedules>;
}

interface Message<Body> {
  readonly messageId: string;
  readonly wake: Body;
  visibleAt: number;
  receiveCount: number;
  receiptHandle?: string;
}

/** Queues in memory. `send`, `deliver` and `hide` are one critical section each; there are no timers. */
export function createQueue(options: QueueOptions): MemoryQueue {
  const steps = createBag<Wake>(options);
  const calls = createBag<CallMessage>(options);
  const deliveries = createBag<Delivery>(options);
  const schedules = createBag<DueSchedules>(options);
  return {
    ...steps.bag,
    calls: calls.bag,
    deliveries: deliveries.bag,
    schedules: schedules.bag,
    due: async (due, delayMs = 0) => schedules.send(due, delayMs),
    send: async (wake, delayMs = 0) => steps.send(wake, delayMs),
    call: async (call) => void calls.send(call, 0),
    deliver: async ({ tenant, sessionId, kind }, delayMs = 0) =>
      deliveries.send({ tenant, sessionId, ...defined({ kind }) }, delayMs),
    async hide(handle, ms) {
      // A message is in one of them only.
      for (const bag of [steps, calls]) bag.hide(handle, ms);
    },
  };
}

function createBag<Body>({ clock, ids, visibilityMs = 330_000, maxReceiveCount = 5 }: QueueOptions) {
  const messages = new Map<string, Message<Body>>();
  const dead: Body[] = [];

  const visibleNow = () => [...messages.values()].filter(({ visibleAt }) => visibleAt <= clock.now());
  const held = ({ messageId, receiptHandle }: MessageHandle) => {
    const message = messages.get(messageId);
    return message?.receiptHandle === receiptHandle ? message : undefined;
  };

  function buryTheDead(): void {
    for (const message of visibleNow()) {
      if (message.receiveCount < maxReceiveCount) continue;
      messages.delete(message.messageId);
      dead.push(message.wake);
    }
  }

  function send(wake: Body, delayMs: number): void {
    if (delayMs > MAX_DELAY_MS) throw new RangeError(`a message cannot be delayed by ${delayMs} ms`);
    const messageId = ids.next();
    const visibleAt = clock.now() + Math.ceil(delayMs / 1000) * 1000;
    messages.set(messageId, { messageId, wake: copy(wake), visibleAt, receiveCount: 0 });
  }

  function hide(handle: MessageHandle, ms: number): void {
    const message = held(handle);
    if (message && message.visibleAt > clock.now())
      message.visibleAt = clock.now() + Math.ceil(ms / 1000) * 1000;
  }

  const bag: Bag<Body> = {
    visible() {
      buryTheDead();
      return visibleNow().map(({ messageId }) => messageId);
    },

    receive(messageId) {
      buryTheDead();
      const message = visibleNow().find((visible) => !messageId || visible.messageId === messageId);
      if (!message) return undefined;
      message.visibleAt = clock.now() + visibilityMs;
      message.receiveCount += 1;
      message.receiptHandle = ids.next();
      return {
        handle: { messageId: message.messageId, receiptHandle: message.receiptHandle },
        wake: copy(message.wake),
        receiveCount: message.receiveCount,
      };
    },

    delete(handle) {
      if (held(handle)) messages.delete(handle.messageId);
    },

    nextVisibleAt() {
      const times = [...messages.values()].map(({ visibleAt }) => visibleAt).filter((at) => at > clock.now());
      return times.length > 0 ? Math.min(...times) : undefined;
    },

    messages() {
      return [...messages.values()].map(({ messageId, wake, visibleAt }) =>
        copy({ messageId, wake, visibleAt }),
      );
    },

    deadLetters() {
      buryTheDead();
      return copy(dead);
    },

    takeDeadLetter() {
      buryTheDead();
      return dead.shift();
    },
  };
  return { bag, send, hide };
}

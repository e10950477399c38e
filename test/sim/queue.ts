import type { MessageHandle } from '../../shared/agent/ports/queue.ts';
import type { Wake } from '../../shared/contract/queue.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Scheduler } from './scheduler.ts';

/** A message as a consumer gets it. */
export interface Delivery<Body = Wake> {
  readonly handle: MessageHandle;
  readonly wake: Body;
}

/** A standard SQS queue with its dead-letter queue: a bag. Nothing in it is lost, except through `purge`. */
export interface SimQueue<Body = Wake> {
  /** @param lane which of its queues, if there are several */
  send(wake: Body, delayMs: number, lane?: number): string;
  hide(handle: MessageHandle, ms: number): void;
  /** Any visible message; undefined if there is none. Messages received too often become dead letters. */
  receive(): Delivery<Body> | undefined;
  /** Deletes a message by the handle of a receive. An outdated handle may have no effect. */
  remove(handle: MessageHandle): void;
  /** Makes a message visible now, although a worker has it or has deleted it: at least once. */
  redeliver(messageId: string): void;
  /** Number of messages of a session (or of the key that `keyOf` gives) that are not deleted, dead letters included. */
  custody(pk: string): number;
  /** Whether a message exists, dead or not. */
  has(messageId: string): boolean;
  /** Loses everything in these lanes and those after them, and returns the keys that were affected. */
  purge(fromLane?: number): ReadonlySet<string>;
  /** The time at which a message can be received next: now or later. */
  nextAt(): number | undefined;
  receiveDead(): Delivery<Body> | undefined;
  removeDead(messageId: string): void;
  nextDeadAt(): number | undefined;
  readonly size: number;
  onChange(tell: () => void): void;
}

interface Message {
  readonly id: string;
  readonly pk: string;
  readonly wake: string;
  readonly lane: number;
  visibleAt: number;
  receives: number;
  receipt: string;
}

/** `infra/step-queue.ts`: the timeout plus 30 s, and five receives. */
const VISIBILITY_MS = 330_000;
const DEAD_VISIBILITY_MS = 90_000;
const MAX_RECEIVES = 5;

export const sessionOf = ({ tenant, sessionId }: SessionKey): string => `${tenant}#${sessionId}`;

/** @param keyOf the key by which `custody` counts messages */
export function createQueue<Body>(scheduler: Scheduler, keyOf: (body: Body) => string): SimQueue<Body> {
  const { random, trace } = scheduler;
  const live = new Map<string, Message>();
  const dead = new Map<string, Message>();
  const known = new Map<string, Message>();
  const custody = new Map<string, number>();
  let ids = 0;
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const tell of listeners) tell();
  };

  const hold = (message: Message, by: 1 | -1) => custody.set(message.pk, (custody.get(message.pk) ?? 0) + by);
  const take = (from: Map<string, Message>) => {
    const visible = [...from.values()].filter(({ visibleAt }) => visibleAt <= scheduler.now);
    return visible.length > 0 ? random.pick(visible) : undefined;
  };
  const received = (message: Message, visibilityMs: number): Delivery<Body> => {
    message.visibleAt = scheduler.now + visibilityMs;
    message.receives += 1;
    message.receipt = `r${++ids}`;
    return {
      handle: { messageId: message.id, receiptHandle: message.receipt },
      wake: JSON.parse(message.wake) as Body,
    };
  };
  const soonest = (from: Map<string, Message>) => {
    let at: number | undefined;
    for (const { visibleAt } of from.values()) if (at === undefined || visibleAt < at) at = visibleAt;
    return at;
  };

  return {
    send(wake, delayMs, lane = 0) {
      const id = `m${++ids}`;
      const pk = keyOf(wake);
      const visibleAt = scheduler.now + Math.ceil(delayMs / 1000) * 1000;
      const message = { id, pk, wake: JSON.stringify(wake), lane, visibleAt, receives: 0, receipt: '' };
      live.set(id, message);
      known.set(id, message);
      hold(message, 1);
      changed();
      return id;
    },
    hide({ messageId, receiptHandle }, ms) {
      const message = live.get(messageId);
      if (message?.receipt !== receiptHandle || message.visibleAt <= scheduler.now) return;
      message.visibleAt = scheduler.now + Math.ceil(ms / 1000) * 1000;
      changed();
    },
    receive() {
      for (let message = take(live); message; message = take(live)) {
        if (message.receives < MAX_RECEIVES) return received(message, VISIBILITY_MS);
        live.delete(message.id);
        dead.set(message.id, message);
        trace.say('queue', 'dead letter', message.id, message.pk);
        changed();
      }
      return undefined;
    },
    remove({ messageId, receiptHandle }) {
      const message = live.get(messageId);
      if (!message || (message.receipt !== receiptHandle && random.chance(0.5))) return;
      live.delete(messageId);
      hold(message, -1);
    },
    redeliver(messageId) {
      const message = known.get(messageId);
      if (!message || dead.has(messageId)) return;
      if (!live.has(messageId)) {
        live.set(messageId, message);
        hold(message, 1);
      }
      message.visibleAt = Math.min(message.visibleAt, scheduler.now);
      changed();
    },
    has: (messageId) => live.has(messageId) || dead.has(messageId),
    custody: (pk) => custody.get(pk) ?? 0,
    purge(fromLane = 0) {
      const lost = [...live.values()].filter(({ lane }) => lane >= fromLane);
      for (const message of lost) {
        hold(message, -1);
        live.delete(message.id);
      }
      return new Set(lost.map(({ pk }) => pk));
    },
    nextAt: () => soonest(live),
    receiveDead() {
      const message = take(dead);
      return message && received(message, DEAD_VISIBILITY_MS);
    },
    removeDead(messageId) {
      const message = dead.get(messageId);
      if (!message) return;
      dead.delete(messageId);
      hold(message, -1);
    },
    nextDeadAt: () => soonest(dead),
    get size() {
      return live.size + dead.size;
    },
    onChange: (tell) => void listeners.push(tell),
  };
}

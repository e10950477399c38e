import { fauxqsModule } from './fauxqs-module.ts';

/** The used part of fauxqs's messages. */
interface Message {
  readonly body: string;
}

/** fauxqs's own queue: waiting messages, and those that were received and not deleted. */
interface Queue {
  messages: Message[];
  readonly inflightMessages: Map<string, { readonly message: Message }>;
  isFifo(): boolean;
  processTimers(): void;
  dequeue(most: number, ...more: unknown[]): { readonly ReceiptHandle: string }[];
  deleteMessage(receiptHandle: string): boolean;
}

/** SQS's own numbers, which it calls approximate (developer guide, "How Amazon SQS fair queues work"). */
const NOISY = { share: 0.1, inFlight: 30 };
/** Length of "recent" in ms, which SQS does not document. */
const RECENT_MS = 60_000;

let taught: Promise<void> | undefined;

/**
 * Makes fauxqs's standard queues fair, as SQS's are for messages with a group: while one tenant has more than a tenth of the
 * messages in flight (and at least 30), or of the recent work time of receivers, the messages of the others come first. fauxqs
 * drops the group; here it is the tenant, which each message names.
 *
 * Once per process.
 */
export function teachFairness(): Promise<void> {
  taught ??= teach();
  return taught;
}

async function teach(): Promise<void> {
  const { SqsQueue }: { SqsQueue: { prototype: Queue } } = await import(fauxqsModule('sqsStore.js'));
  const { dequeue, deleteMessage } = SqsQueue.prototype;
  SqsQueue.prototype.dequeue = function (most, ...more) {
    if (this.isFifo()) return dequeue.call(this, most, ...more);
    this.processTimers();
    putFirst(this, most);
    const received = dequeue.call(this, most, ...more);
    for (const { ReceiptHandle } of received) {
      const message = this.inflightMessages.get(ReceiptHandle)?.message;
      if (message) receivedAt.set(message, Date.now());
    }
    return received;
  };
  SqsQueue.prototype.deleteMessage = function (receiptHandle) {
    const message = this.inflightMessages.get(receiptHandle)?.message;
    if (message) {
      const to = Date.now();
      worked(this, { group: groupOf(message), to, ms: to - (receivedAt.get(message) ?? to) });
    }
    return deleteMessage.call(this, receiptHandle);
  };
}

/** Moves messages of quiet tenants to the front, in their order, as many as may be received. */
function putFirst(queue: Queue, most: number): void {
  const isNoisy = noisyIn(queue);
  const quiet: Message[] = [];
  let passed = false;
  for (const message of queue.messages) {
    if (quiet.length === most) break;
    if (isNoisy(groupOf(message))) passed = true;
    else quiet.push(message);
  }
  if (!passed || quiet.length === 0) return;
  const first = new Set(quiet);
  queue.messages = [...quiet, ...queue.messages.filter((message) => !first.has(message))];
}

/** Returns a function that says whether a tenant has more than its share. */
function noisyIn(queue: Queue): (group: string) => boolean {
  const inFlight = new Map<string, number>();
  for (const { message } of queue.inflightMessages.values()) count(inFlight, groupOf(message), 1);
  const { msOf, all } = recentWorkOf(queue);
  return (group) => {
    const flying = inFlight.get(group) ?? 0;
    const shareOfFlight = NOISY.share * queue.inflightMessages.size;
    return (
      (flying >= NOISY.inFlight && flying > shareOfFlight) || (msOf.get(group) ?? 0) > NOISY.share * all.ms
    );
  };
}

const count = (counts: Map<string, number>, group: string, n: number): void =>
  void counts.set(group, (counts.get(group) ?? 0) + n);

/** A message that was received and deleted. */
interface Work {
  readonly group: string;
  /** The time of its deletion. */
  readonly to: number;
  /** How long the work took. */
  readonly ms: number;
}

/** The recent work of a queue's receivers, and its sums, so that a receive need not add it up. */
interface Works {
  readonly list: Work[];
  /** Only tenants with recent work. */
  readonly msOf: Map<string, number>;
  readonly all: { ms: number };
}
const works = new WeakMap<Queue, Works>();
function worksOf(queue: Queue): Works {
  const known = works.get(queue) ?? { list: [], msOf: new Map(), all: { ms: 0 } };
  works.set(queue, known);
  return known;
}

function worked(queue: Queue, work: Work): void {
  const { list, msOf, all } = worksOf(queue);
  list.push(work);
  count(msOf, work.group, work.ms);
  all.ms += work.ms;
}

/** Drops work that is no longer recent. */
function recentWorkOf(queue: Queue): Works {
  const kept = worksOf(queue);
  const since = Date.now() - RECENT_MS;
  while (kept.list[0] && kept.list[0].to < since) {
    const { group, ms } = kept.list.shift() as Work;
    count(kept.msOf, group, -ms);
    if (kept.msOf.get(group) === 0) kept.msOf.delete(group);
    kept.all.ms -= ms;
  }
  return kept;
}

const receivedAt = new WeakMap<Message, number>();
const groups = new WeakMap<Message, string>();

/** The tenant that a message names; a message without one is its own group. */
function groupOf(message: Message): string {
  const known = groups.get(message) ?? /"tenant":"([^"]*)"/.exec(message.body)?.[1] ?? message.body;
  groups.set(message, known);
  return known;
}

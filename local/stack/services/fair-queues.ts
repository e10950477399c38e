import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What fauxqs keeps of a message, as far as it is looked at. */
interface Message {
  readonly body: string;
}

/** fauxqs' own queue: what waits, and what was received and not deleted. */
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
/** How far back "recent" goes, which SQS does not say, in ms. */
const RECENT_MS = 60_000;

let taught: Promise<void> | undefined;

/**
 * Has fauxqs give standard queues out fairly, as SQS does where messages have a group: while one tenant has more than a tenth of what is in
 * flight (and 30 messages at least), or of the time that receivers have worked lately, the messages of the others come first. fauxqs
 * forgets the group; ours is the tenant, which a message names.
 *
 * Once per process.
 */
export function teachFairness(): Promise<void> {
  taught ??= teach();
  return taught;
}

async function teach(): Promise<void> {
  const { SqsQueue }: { SqsQueue: { prototype: Queue } } = await import(moduleOfQueues());
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
      workOf(this).push({ group: groupOf(message), from: receivedAt.get(message) ?? to, to });
    }
    return deleteMessage.call(this, receiptHandle);
  };
}

/** Where fauxqs has its queues: a module that it does not export. */
function moduleOfQueues(): string {
  const folders = createRequire(import.meta.url).resolve.paths('fauxqs') ?? [];
  const file = folders.map((folder) => join(folder, 'fauxqs/dist/sqs/sqsStore.js')).find(existsSync);
  if (!file)
    throw new Error('fauxqs has no dist/sqs/sqsStore.js: this version of it has its queues elsewhere');
  return pathToFileURL(realpathSync(file)).href;
}

/** Puts as many messages of quiet tenants first as may be received, in their order. */
function putFirst(queue: Queue, most: number): void {
  const noisy = noisyIn(queue);
  if (noisy.size === 0) return;
  const quiet: Message[] = [];
  for (const message of queue.messages) {
    if (quiet.length === most) break;
    if (!noisy.has(groupOf(message))) quiet.push(message);
  }
  if (quiet.length === 0) return;
  const first = new Set(quiet);
  queue.messages = [...quiet, ...queue.messages.filter((message) => !first.has(message))];
}

function noisyIn(queue: Queue): Set<string> {
  const inFlight = new Map<string, number>();
  for (const { message } of queue.inflightMessages.values()) count(inFlight, groupOf(message), 1);
  const work = workOf(queue);
  const since = Date.now() - RECENT_MS;
  while (work[0] && work[0].to < since) work.shift();
  const worked = new Map<string, number>();
  for (const { group, from, to } of work) count(worked, group, to - from);
  const noisy = [...above(inFlight)].filter((group) => (inFlight.get(group) ?? 0) >= NOISY.inFlight);
  return new Set([...noisy, ...above(worked)]);
}

/** Who has more than the share of all. */
function above(counts: ReadonlyMap<string, number>): string[] {
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return [...counts].flatMap(([group, n]) => (n > NOISY.share * all ? [group] : []));
}

const count = (counts: Map<string, number>, group: string, n: number): void =>
  void counts.set(group, (counts.get(group) ?? 0) + n);

interface Work {
  readonly group: string;
  readonly from: number;
  readonly to: number;
}
const works = new WeakMap<Queue, Work[]>();
function workOf(queue: Queue): Work[] {
  const work = works.get(queue) ?? [];
  works.set(queue, work);
  return work;
}

const receivedAt = new WeakMap<Message, number>();
const groups = new WeakMap<Message, string>();

/** The tenant that a message names; a message that names none is its own group. */
function groupOf(message: Message): string {
  const known = groups.get(message) ?? /"tenant":"([^"]*)"/.exec(message.body)?.[1] ?? message.body;
  groups.set(message, known);
  return known;
}

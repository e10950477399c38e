import type { AwsJson } from '../aws-json.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import { doneMessages, type ReceivedMessage, toSqsEvent } from './sqs-event.ts';

/** An event-source mapping from a queue to a function. */
export interface MappingSettings {
  queueUrl: string;
  queueArn: string;
  batchSize: number;
  /** How long to gather a batch, in milliseconds. */
  windowMs: number;
  /** Most invocations at once. */
  concurrency: number;
  /** FunctionResponseTypes has ReportBatchItemFailures. */
  reportsFailures: boolean;
}

/** A running mapping. */
export interface QueuePoller {
  /** Stops receiving. Running invocations continue. */
  stop(): void;
  /** After the poller and the function were stopped: resolves when the last poll and every received batch are settled. */
  settled(): Promise<void>;
}

/** SQS returns at most 10 messages to one receive, and deletes as many in one call. */
const RECEIVE_LIMIT = 10;

/** Seconds of one long poll: SQS's maximum, so that an empty queue costs next to nothing. */
const POLL_SECONDS = 20;

const RETRY_MS = 1_000;

/**
 * Receives from the queue and invokes the function, with as many messages at once as its concurrency allows. Messages of a
 * failed, killed or throttled invocation are left alone: they return after their visibility timeout.
 */
export function startQueuePoller(
  settings: MappingSettings,
  target: LambdaFunction,
  sqs: AwsJson,
  notice: (line: string) => void,
): QueuePoller {
  const underWay = new Set<Promise<void>>();
  /** Ends the poll. Messages that it still receives count as received by a dead worker: the next start shows them again. */
  const stopping = new AbortController();
  const { signal } = stopping;

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const places = Math.min(settings.concurrency - underWay.size, target.free());
      if (places <= 0) {
        await (underWay.size >= settings.concurrency ? Promise.race(underWay) : target.room());
        continue;
      }
      const messages = await gather(settings.windowMs > 0 ? 1 : places);
      if (signal.aborted) return giveBack(messages);
      for (let at = 0; at < messages.length; at += settings.batchSize)
        begin(messages.slice(at, at + settings.batchSize));
    }
  };
  const begin = (batch: ReceivedMessage[]): void => {
    const handled = handle(batch).finally(() => underWay.delete(handled));
    underWay.add(handled);
  };
  /**
   * Receives messages for this many batches: all that are available, plus those that arrive within the window until the one batch
   * is full.
   */
  const gather = async (batches: number): Promise<ReceivedMessage[]> => {
    const gathered: ReceivedMessage[] = [];
    const wanted = batches * settings.batchSize;
    gathered.push(...(await receive(wanted, POLL_SECONDS)));
    const until = Date.now() + settings.windowMs;
    while (!signal.aborted && gathered.length > 0 && gathered.length < wanted && Date.now() < until)
      gathered.push(...(await receive(wanted - gathered.length, (until - Date.now()) / 1000)));
    return gathered;
  };
  /** Waits `seconds` for the first message; the embedded SQS takes fractions. */
  const receive = async (room: number, seconds: number): Promise<ReceivedMessage[]> => {
    try {
      const wanted = {
        QueueUrl: settings.queueUrl,
        MaxNumberOfMessages: Math.min(room, RECEIVE_LIMIT),
        WaitTimeSeconds: Math.max(0, seconds),
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      };
      const answer = await sqs('ReceiveMessage', wanted, signal);
      return (answer.Messages ?? []) as ReceivedMessage[];
    } catch (error) {
      if (signal.aborted) return [];
      notice(`cannot receive from ${settings.queueUrl}: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return [];
    }
  };
  const handle = async (messages: ReceivedMessage[]): Promise<void> => {
    const outcome = await target.invoke(toSqsEvent(messages, settings.queueArn), 'wait');
    if (outcome.kind !== 'ok') return;
    const done = doneMessages(messages, outcome.result, settings.reportsFailures);
    await each(done, 'DeleteMessage', {});
  };
  const giveBack = (messages: ReceivedMessage[]): Promise<void> =>
    each(messages, 'ChangeMessageVisibility', { VisibilityTimeout: 0 });
  const each = async (messages: ReceivedMessage[], operation: string, extra: object): Promise<void> => {
    await Promise.all(
      messages.map(({ ReceiptHandle }) =>
        sqs(operation, { QueueUrl: settings.queueUrl, ReceiptHandle, ...extra }).catch((error: unknown) =>
          notice(`${operation} on ${settings.queueUrl} failed: ${error}`),
        ),
      ),
    );
  };

  const looping = loop();
  return {
    stop() {
      stopping.abort();
    },
    async settled() {
      await looping;
      await Promise.all(underWay);
    },
  };
}

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
  /** Receives no more. Invocations under way go on. */
  stop(): void;
  /** After stop, of this and of the function: resolves when the last poll and every received batch are settled. */
  settled(): Promise<void>;
}

/** SQS returns at most 10 messages to one receive. */
const RECEIVE_LIMIT = 10;

/**
 * One long poll, in seconds. Short, because stopping waits for it: a poll that is cut off would still take a message,
 * and that message would stay invisible to the next start. The embedded SQS takes fractions.
 */
const POLL_SECONDS = 0.5;

const RETRY_MS = 1_000;

/**
 * Receives from the queue and invokes the function, never receiving more than there is concurrency for. Messages
 * that a failed, killed or throttled invocation held are left alone: they return after their visibility timeout.
 */
export function startQueuePoller(
  settings: MappingSettings,
  target: LambdaFunction,
  sqs: AwsJson,
  notice: (line: string) => void,
): QueuePoller {
  const underWay = new Set<Promise<void>>();
  let stopping = false;

  const loop = async (): Promise<void> => {
    while (!stopping) {
      if (underWay.size >= settings.concurrency) await Promise.race(underWay);
      await target.room();
      if (stopping) return;
      const messages = await gather();
      if (messages.length === 0) continue;
      if (stopping) return giveBack(messages);
      const batch = handle(messages).finally(() => underWay.delete(batch));
      underWay.add(batch);
    }
  };
  const gather = async (): Promise<ReceivedMessage[]> => {
    const gathered: ReceivedMessage[] = [];
    const until = Date.now() + settings.windowMs;
    do {
      gathered.push(...(await receive(settings.batchSize - gathered.length)));
    } while (!stopping && gathered.length > 0 && gathered.length < settings.batchSize && Date.now() < until);
    return gathered;
  };
  const receive = async (room: number): Promise<ReceivedMessage[]> => {
    try {
      const answer = await sqs('ReceiveMessage', {
        QueueUrl: settings.queueUrl,
        MaxNumberOfMessages: Math.min(room, RECEIVE_LIMIT),
        WaitTimeSeconds: POLL_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      return (answer.Messages ?? []) as ReceivedMessage[];
    } catch (error) {
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
      stopping = true;
    },
    async settled() {
      await looping;
      await Promise.all(underWay);
    },
  };
}

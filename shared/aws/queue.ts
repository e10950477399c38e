import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Queue } from '../agent/ports/queue.ts';
import { MAX_DELAY_MS } from '../agent/session/wake.ts';
import { type CallMessage, type Delivery, type DueSchedules, RECENT, type Wake } from '../contract/queue.ts';
import { inXml } from './in-xml.ts';
import { laneOf, urlBeside } from './lanes.ts';
import { chunks, use } from './spent.ts';

/** SQS refuses to hide a message for longer. */
const MAX_HIDE_SECONDS = 12 * 3600;

/** SQS bills each 64 KB as one request. */
const REQUEST_BYTES = 64 * 1024;

/** The message group of messages for schedules, which are of several tenants. No tenant's name starts with `_`. */
const SCHEDULES_GROUP = '_schedules';

/** Bytes of a message as SQS counts them: its body, and the name, the type and the value of its attribute. */
const sizeOf = (body: string, brought: string | undefined): number =>
  Buffer.byteLength(body) + (brought ? Buffer.byteLength(`${RECENT}String${brought}`) : 0);

/** The queues to send to. A function that sends nothing to a queue need not know it. */
export interface QueueUrls {
  /** One for each lane. */
  readonly steps?: readonly string[];
  readonly tools?: string;
  /** The queue of deliveries to external listeners, and the one for Slack if Slack has its own. */
  readonly deliveries?: string;
  readonly slackDeliveries?: string;
  /**
   * The queue whose messages the function consumes and may hide; the first one if there are lanes. Absent: it hides
   * none.
   */
  readonly consumed?: string;
  /** Wakes do not bring the slots of their sender's commit, which would lie in the queue unsealed (`sealing.ts`). */
  readonly withoutSlots?: true;
}

/**
 * The queues on SQS: standard, with the tenant as message group, so that one busy tenant delays the others little (fair
 * queues). If the SDK repeats a send, there are two messages; the claim makes one step of them.
 */
export function createQueue(
  client: SQSClient,
  { steps = [], tools, deliveries, slackDeliveries, consumed, withoutSlots }: QueueUrls,
): Queue {
  const send = async (
    queueUrl: string | undefined,
    body: Wake | CallMessage | Delivery | DueSchedules,
    delayMs: number,
    recent?: Wake['recent'],
  ) => {
    if (!queueUrl) throw new Error('this function was not told of that queue');
    if (delayMs > MAX_DELAY_MS) throw new RangeError(`a message cannot be delayed by ${delayMs} ms`);
    const MessageBody = inXml(body);
    const brought = recent && !withoutSlots ? inXml(recent) : undefined;
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody,
        ...(brought && {
          MessageAttributes: { [RECENT]: { DataType: 'String', StringValue: brought } },
        }),
        MessageGroupId: 'tenant' in body ? body.tenant : SCHEDULES_GROUP,
        DelaySeconds: Math.max(0, Math.ceil(delayMs / 1000)),
      }),
    );
    use('queueRequests', chunks(sizeOf(MessageBody, brought), REQUEST_BYTES));
  };
  return {
    send: ({ recent, ...wake }, delayMs = 0) =>
      send(steps[laneOf(wake, steps.length)], wake, delayMs, recent),
    due: (schedules, delayMs = 0) => send(steps[0], schedules, delayMs),
    call: (call) => send(tools, call, 0),
    // Without external listeners there is no queue for them; a session may still have a listener from an earlier
    // deployment.
    deliver: async ({ tenant, sessionId, kind }, delayMs = 0) => {
      if (!deliveries) return;
      if (!slackDeliveries) return send(deliveries, { tenant, sessionId }, delayMs);
      const queues = { callback: deliveries, channel: deliveries, slack: slackDeliveries };
      const kinds = kind ? [kind] : (['callback', 'slack'] as const);
      await Promise.all(kinds.map((one) => send(queues[one], { tenant, sessionId, kind: one }, delayMs)));
    },

    async hide({ receiptHandle, queue }, ms) {
      if (!consumed) return;
      const seconds = Math.min(MAX_HIDE_SECONDS, Math.max(0, Math.ceil(ms / 1000)));
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: queue === undefined ? consumed : urlBeside(consumed, queue),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      });
      // If this fails, the message comes back sooner or later than it should: only time is lost.
      await client.send(command).catch(() => undefined);
      use('queueRequests', 1);
    },
  };
}

import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createQueue, type QueueUrls } from '../../shared/aws/queue.ts';

/** Where a queue with these addresses sends its commands. */
function sending(urls: QueueUrls) {
  const sent: [name: string, queue: string, seconds: unknown][] = [];
  const client = {
    async send(command: { input: Record<string, string> }) {
      const { QueueUrl = '', VisibilityTimeout } = command.input;
      sent.push([command.constructor.name, QueueUrl, VisibilityTimeout]);
    },
  };
  return { sent, queue: createQueue(client as unknown as SQSClient, urls) };
}

const message = { messageId: 'm', receiptHandle: 'r' };
const call = { tenant: 'acme', sessionId: 's1', slot: 0, callId: 'c1', waitId: 'w1' };

test('a function hides messages of the queue that it consumes, and of no other', async () => {
  const step = sending({ steps: 'steps', tools: 'tools', consumed: 'steps' });
  await step.queue.hide(message, 1_500);
  const tool = sending({ steps: 'steps', consumed: 'tools' });
  await tool.queue.hide(message, 60_000);
  // As the dead-letter function: what it receives is in neither.
  const other = sending({ steps: 'steps', tools: 'tools' });
  await other.queue.hide(message, 60_000);
  expect(other.sent).toEqual([]);
  expect([...step.sent, ...tool.sent]).toEqual([
    ['ChangeMessageVisibilityCommand', 'steps', 2],
    ['ChangeMessageVisibilityCommand', 'tools', 60],
  ]);
});

test('who consumes calls sends none', async () => {
  const { sent, queue } = sending({ steps: 'steps', consumed: 'tools' });
  await expect(queue.call(call)).rejects.toThrow('was not told of that queue');
  expect(sent).toEqual([]);
});

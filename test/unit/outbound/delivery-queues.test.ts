import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createQueue } from '../../../shared/aws/queue.ts';

/** The messages that a queue on SQS sends: where to, and what. */
function sending(urls: Parameters<typeof createQueue>[1]) {
  const sent: [string | undefined, object][] = [];
  const client = {
    send: async ({ input }: { input: { QueueUrl?: string; MessageBody?: string } }) =>
      void sent.push([input.QueueUrl, JSON.parse(input.MessageBody ?? '')]),
  } as unknown as SQSClient;
  return { queue: createQueue(client, urls), sent };
}
const key = { tenant: 'acme', sessionId: 's1' };

test('with one queue a delivery is for all listeners', async () => {
  const { queue, sent } = sending({ deliveries: 'all' });
  await queue.deliver(key);
  await queue.deliver({ ...key, kind: 'slack' }, 1_000);
  expect(sent).toEqual([
    ['all', key],
    ['all', key],
  ]);
});

test('with a queue for each kind it goes to both, and a later try of one kind to its own', async () => {
  const { queue, sent } = sending({ deliveries: 'callbacks', slackDeliveries: 'slack' });
  await queue.deliver(key);
  await queue.deliver({ ...key, kind: 'slack' }, 1_000);
  expect(sent).toEqual([
    ['callbacks', { ...key, kind: 'callback' }],
    ['slack', { ...key, kind: 'slack' }],
    ['slack', { ...key, kind: 'slack' }],
  ]);
});

test('without external listeners nothing is sent', async () => {
  const { queue, sent } = sending({});
  await queue.deliver(key);
  expect(sent).toEqual([]);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsJsonClient } from '../../../local/stack/aws-json.ts';
import { type LocalQueues, startQueues } from '../../../local/stack/services/queues.ts';

describe('a queue of several tenants', () => {
  let queues: LocalQueues;
  let client: ReturnType<typeof awsJsonClient>;
  let QueueUrl: string;
  beforeEach(async () => {
    queues = await startQueues(undefined);
    client = awsJsonClient(queues.endpoint, 'AmazonSQS');
    ({ QueueUrl } = (await client.call('CreateQueue', { QueueName: 'steps' })) as { QueueUrl: string });
  });
  afterEach(async () => {
    client.close();
    await queues.stop();
  });

  async function send(tenant: string, count: number) {
    for (let n = 0; n < count; n++) {
      const MessageBody = JSON.stringify({ tenant, sessionId: `s${n}` });
      await client.call('SendMessage', { QueueUrl, MessageBody, MessageGroupId: tenant });
    }
  }
  async function receive(MaxNumberOfMessages = 10) {
    const received = await client.call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages });
    return ((received.Messages ?? []) as { Body: string; ReceiptHandle: string }[]).map(
      ({ Body, ReceiptHandle }) => ({ ...JSON.parse(Body), ReceiptHandle }),
    );
  }
  const tenants = (messages: { tenant: string }[]) => messages.map(({ tenant }) => tenant);

  test('first delivers messages of tenants other than the one with most messages in flight', async () => {
    await send('flood', 45);
    await send('quiet', 2);
    for (let n = 0; n < 3; n++) expect(new Set(tenants(await receive()))).toEqual(new Set(['flood']));
    const next = await receive();
    expect(tenants(next).slice(0, 3)).toEqual(['quiet', 'quiet', 'flood']);
    // In the order in which they arrived, all of them, and each once.
    expect(next.slice(2).map(({ sessionId }) => sessionId)).toEqual([
      's30',
      's31',
      's32',
      's33',
      's34',
      's35',
      's36',
      's37',
    ]);
    expect(tenants(await receive())).toHaveLength(7);
    expect(await receive()).toEqual([]);
  });

  test('does not call a tenant noisy that has few messages in flight, as SQS does', async () => {
    await send('flood', 35);
    await send('quiet', 2);
    for (let n = 0; n < 2; n++) await receive();
    expect(tenants(await receive())).toEqual(Array.from({ length: 10 }, () => 'flood'));
  });

  test("but calls one noisy that has used most of the receivers' working time", async () => {
    await send('flood', 15);
    await send('quiet', 1);
    const [first] = await receive(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await client.call('DeleteMessage', { QueueUrl, ReceiptHandle: first?.ReceiptHandle });
    expect(tenants(await receive(2))).toEqual(['quiet', 'flood']);
  });

  test('keeps the order of equally noisy tenants', async () => {
    await send('one', 3);
    await send('two', 3);
    for (let n = 0; n < 4; n++) {
      const [message] = await receive(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (n > 0) await client.call('DeleteMessage', { QueueUrl, ReceiptHandle: message?.ReceiptHandle });
    }
    expect(tenants(await receive())).toEqual(['two', 'two']);
  });
});

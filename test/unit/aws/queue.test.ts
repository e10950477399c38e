import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { lanesOf } from '../../../shared/aws/lanes.ts';
import { createQueue, type QueueUrls } from '../../../shared/aws/queue.ts';
import { rates } from '../../../shared/aws/rates.ts';
import { bill, meteredRun } from '../../../shared/aws/spent.ts';

/** The queue that gets the commands for these addresses. */
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
  const step = sending({ steps: ['steps'], tools: 'tools', consumed: 'steps' });
  await step.queue.hide(message, 1_500);
  const tool = sending({ steps: ['steps'], consumed: 'tools' });
  await tool.queue.hide(message, 60_000);
  // As the dead-letter function: the queue that it consumes is in neither.
  const other = sending({ steps: ['steps'], tools: 'tools' });
  await other.queue.hide(message, 60_000);
  expect(other.sent).toEqual([]);
  expect([...step.sent, ...tool.sent]).toEqual([
    ['ChangeMessageVisibilityCommand', 'steps', 2],
    ['ChangeMessageVisibilityCommand', 'tools', 60],
  ]);
});

test('a message is hidden for at most the twelve hours that SQS allows', async () => {
  const { sent, queue } = sending({ steps: ['steps'], consumed: 'steps' });
  await queue.hide(message, 13 * 3_600_000);
  await queue.hide(message, -1);
  expect(sent.map(([, , seconds]) => seconds)).toEqual([43_200, 0]);
});

test('a function that consumes calls sends none', async () => {
  const { sent, queue } = sending({ steps: ['steps'], consumed: 'tools' });
  await expect(queue.call(call)).rejects.toThrow('was not told of that queue');
  expect(sent).toEqual([]);
});

test('a session has one lane, and sessions are spread evenly over all of them', async () => {
  const urls = lanesOf('https://sqs/1/Steps-X', 4, 'prod-steps-');
  const { sent, queue } = sending({ steps: urls });
  const sessions = Array.from({ length: 400 }, (_, i) => ({ tenant: 'acme', sessionId: `s${i}` }));
  for (const session of [...sessions, ...sessions]) await queue.send(session);
  const first = sent.slice(0, 400).map(([, url]) => url);
  expect(sent.slice(400).map(([, url]) => url)).toEqual(first);
  expect([...new Set(first)].sort()).toEqual([
    'https://sqs/1/Steps-X',
    'https://sqs/1/prod-steps-1',
    'https://sqs/1/prod-steps-2',
    'https://sqs/1/prod-steps-3',
  ]);
  for (const url of urls) expect(first.filter((one) => one === url).length).toBeGreaterThan(70);
});

test('a message is hidden in the lane that it came from, whatever its hash says', async () => {
  const { sent, queue } = sending({ steps: ['https://sqs/1/Steps-X'], consumed: 'https://sqs/1/Steps-X' });
  await queue.hide({ ...message, queue: 'prod-steps-3' }, 1_000);
  await queue.hide({ ...message, queue: 'Steps-X' }, 1_000);
  expect(sent.map(([, url]) => url)).toEqual(['https://sqs/1/prod-steps-3', 'https://sqs/1/Steps-X']);
});

test('a message is billed by its bytes, those of what it brings included', async () => {
  const billed = async (text: string, inbox: string[] = []) => {
    const { queue } = sending({ steps: ['steps'] });
    const one = () => meteredRun(async () => bill.usd() ?? Number.NaN);
    const slots = [{ kind: 'model', n: 0, runId: 'r', step: 1, input: [{ text }], verdicts: [] }] as const;
    const recent = { epoch: 1, slots: slots.map((slot) => ({ ...slot, input: [...slot.input] })) };
    const usd = await meteredRun(async () => {
      await queue.send({ tenant: 'acme', sessionId: 's1', hint: { inbox }, recent } as never);
      return bill.usd() ?? Number.NaN;
    });
    return Math.round(((usd - (await one())) * 1e6) / rates.queueRequests);
  };
  expect(await billed('x'.repeat(60_000))).toBe(1);
  expect(await billed('x'.repeat(70_000))).toBe(2);
  // Characters of three bytes.
  expect(await billed('漢'.repeat(30_000))).toBe(2);
  expect(await billed('x', ['漢'.repeat(30_000)])).toBe(2);
});

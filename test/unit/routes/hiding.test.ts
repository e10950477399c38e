import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { env } from '../../../shared/contract/env.ts';

const message = { messageId: 'm', receiptHandle: 'r' };
const asked: { target: unknown; queue: string }[] = [];
const sqs = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { QueueUrl } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push({ target: request.headers['x-amz-target'], queue: QueueUrl });
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => sqs.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(sqs.address() as AddressInfo).port}`;
  for (const name of Object.values(env)) vi.stubEnv(name, `${url}/${name}`);
  vi.stubEnv('STEP_LANES', '3');
  for (const name of ['TENANT_TOKENS_PER_DAY', 'TENANT_USD_PER_DAY', 'TENANT_STEPS_PER_DAY'])
    vi.stubEnv(name, '0');
  const secrets = JSON.stringify({ ANTHROPIC_API_KEY: 'arn', GITHUB_TOKEN: 'arn' });
  for (const [name, json] of [
    ['SETTINGS', '{}'],
    ['MODEL_URLS', '{}'],
    ['SECRETS', secrets],
  ] as const)
    vi.stubEnv(name, json);
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
beforeEach(() => void asked.splice(0));
afterAll(() => {
  vi.unstubAllEnvs();
  sqs.close();
});

test.each([
  ['the step function', 'step', env.STEP_QUEUE_URL],
  ['the tool function', 'tool', env.TOOL_QUEUE_URL],
  // IAM lets it hide messages of the two dead-letter queues only.
  ['the dead-letter function', 'deadLetter', undefined],
] as const)(
  '%s hides messages of the queue that it consumes, and needs no other',
  async (_what, who, queue) => {
    const { corePorts, stepPorts, toolPorts } = await import('../../../functions/ports/step.ts');
    const io = { step: stepPorts, tool: toolPorts, deadLetter: corePorts }[who]();
    await io.queue.hide(message, 1_000);
    const expected = queue === undefined ? [] : [process.env[queue]];
    expect(asked.map((one) => one.queue)).toEqual(expected);
  },
);

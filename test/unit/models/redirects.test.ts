import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { callBedrock, callGemini, callModel, callOpenai, callResponses } from '../../support/model-call.ts';
import { completion, says } from '../../support/openai-events.ts';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A server that redirects `/moved…` as configured, and answers anything else. */
async function serving(status: number, location: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      if (request.url?.startsWith('/moved')) response.writeHead(status, { location }).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(completion(says('Nine.')).join(''));
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test.each([
  ['Anthropic', callModel],
  ['OpenAI', callOpenai],
  ['Responses', callResponses],
  ['Bedrock', callBedrock],
  ['Gemini', callGemini],
] as const)('%s: a redirect to another origin is refused, and nothing is sent there', async (_name, call) => {
  const target = await serving(307, '/');
  const server = await serving(307, `${target.url}/steal?token=1`);
  const { outcome } = await call(`${server.url}/moved`);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'account', code: 'redirected' } });
  const { message } = (outcome as { failure: { message: string } }).failure;
  expect(message).toContain(target.url);
  expect(message).not.toContain('steal');
  expect(target.asked).toEqual([]);
});

test.each([301, 302, 303])(
  'a %i is refused also within the origin: a GET would drop the request',
  async (status) => {
    const server = await serving(status, '/here');
    const { outcome } = await callOpenai(`${server.url}/moved`);
    expect(outcome).toMatchObject({ failure: { code: 'redirected' } });
    expect(server.asked).toHaveLength(1);
  },
);

test.each([307, 308])('a %i within the origin is followed with the body', async (status) => {
  const server = await serving(status, '/here/chat/completions');
  const { outcome } = await callOpenai(`${server.url}/moved`);
  expect(outcome).toMatchObject({ kind: 'reply', reply: { content: [{ text: 'Nine.' }] } });
  expect(server.asked).toEqual(['POST /moved/chat/completions', 'POST /here/chat/completions']);
});

test('a redirect loop ends', async () => {
  const server = await serving(308, '/moved/again');
  const { outcome } = await callOpenai(`${server.url}/moved`);
  expect(outcome).toMatchObject({ failure: { code: 'redirected' } });
  expect(server.asked.length).toBeLessThan(6);
});

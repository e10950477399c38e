import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { createPace } from '../../../functions/middleware/pace.ts';
import { pacedPage } from '../../../functions/middleware/paced-page.ts';
import type { Answer } from '../../../functions/middleware/stream-response.ts';
import { createRequestCounts } from '../../../shared/memory/request-counts.ts';

/** The limit in these tests. An environment gives a tenth of it in addition. */
const LIMIT = 100;
function newPace() {
  const counts = createRequestCounts();
  return createPace(async () => counts, LIMIT);
}
const event = (method: string, rawPath: string, body?: string) => ({
  rawPath,
  ...(body !== undefined && { body }),
  requestContext: { timeEpoch: 5_000, http: { method } } as APIGatewayProxyEventV2['requestContext'],
});
const whole = (body = ''): Answer => ({ kind: 'whole', response: { statusCode: 200, body } });
const stream: Answer = { kind: 'stream', headers: {}, body: async () => {} };

/** How many of 200 of these requests are served, and what the first refusal says. */
async function served(asked: ReturnType<typeof event>, answer = whole(), pace = newPace(), tenant = 'acme') {
  let count = 0;
  let refusal: unknown;
  for (let n = 0; n < 200; n++)
    await pacedPage(asked, { tenant }, pace, async () => {
      count += 1;
      return answer;
    }).catch((thrown: unknown) => {
      refusal ??= thrown;
    });
  return { count, refusal };
}

test.each<[string, ReturnType<typeof event>, Answer, number]>([
  ['the messages of a chat', event('GET', '/chat/c/messages'), whole(), 110],
  ['messages of a chat of 640 KB', event('GET', '/chat/c/messages'), whole('x'.repeat(640 * 1024)), 10],
  ['streams of a chat', event('GET', '/chat/c/stream'), stream, 22],
  ['messages to a chat', event('POST', '/chat/worker', '{}'), stream, 22],
  ['messages of 256 KB over AG-UI', event('POST', '/agui/worker', 'x'.repeat(256 * 1024)), whole(), 22],
  ['streams over AG-UI', event('POST', '/agui/connect', '{}'), stream, 22],
  ['messages to an agent that is called stop', event('POST', '/chat/stop', '{}'), whole(), 110],
  ['reads below a chat that is called stop', event('GET', '/chat/stop/messages'), whole(), 110],
  ['a path that is no route', event('GET', '/chat/c/stop'), whole(), 110],
])('%s count in the limit of requests', async (_, asked, answer, admitted) => {
  const { count, refusal } = await served(asked, answer);
  expect(count).toBe(admitted);
  expect(refusal).toMatchObject({ problem: { status: 429 }, headers: { 'retry-after': '1' } });
});

test('another tenant is served while one is refused', async () => {
  const pace = newPace();
  await served(event('GET', '/chat/c/messages'), whole(), pace);
  const other = await served(event('GET', '/chat/c/messages'), whole(), pace, 'globex');
  expect(other.count).toBeGreaterThan(0);
});

test.each(['/chat/c/stop', '/chat/worker/c/stop', '/chat/c/stop/'])(
  'POST %s is served however many came before',
  async (path) => {
    expect((await served(event('POST', path))).count).toBe(200);
  },
);

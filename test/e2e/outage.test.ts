import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** Services that are currently unreachable. */
const down = new Set<string>();
let model: RuleModel;
let world: Embedded;
beforeAll(async () => {
  model = await ruleModel(() => sayText('Hello.'));
  const before = ({ service }: { service: string }) => (down.has(service) ? ('drop' as const) : undefined);
  world = await embedded({ model, wire: { before } });
});
afterAll(async () => {
  down.clear();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** Runs `act` during an outage of a service. */
async function without<T>(service: 'dynamodb' | 'sqs', act: () => Promise<T>): Promise<T> {
  down.add(service);
  try {
    return await act();
  } finally {
    down.delete(service);
  }
}

const delivery = () => {
  const body = JSON.stringify({ action: 'opened', issue: { number: 1, title: 'It leaks' } });
  const signature = createHmac('sha256', world.webhookSecret).update(body).digest('hex');
  const headers = {
    'x-github-event': 'issues',
    'x-github-delivery': 'd1',
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return world.api('POST', '/hooks/github', body, headers);
};

const isUnavailable = { status: 503, body: { status: 503, title: 'Service unavailable' } };

describe('without its table', () => {
  test.each<[string, () => Promise<{ headers: Headers }>]>([
    ['POST /sessions', () => world.api('POST', '/sessions', { agent: 'worker', message: 'hi' })],
    ['GET /sessions/{id}', () => world.api('GET', '/sessions/s1')],
    ['GET /sessions/{id}/messages', () => world.api('GET', '/sessions/s1/messages')],
    ['POST /tickets', () => world.api('POST', '/tickets')],
    ['POST /hooks/{source}', delivery],
    [
      'POST /agui',
      () =>
        world.api('POST', '/agui/worker', {
          threadId: 't1',
          runId: 'r1',
          state: {},
          tools: [],
          context: [],
          forwardedProps: {},
          messages: [{ id: 'm1', role: 'user', content: 'hi' }],
        }),
    ],
  ])('%s answers 503 with Retry-After and a problem document', { timeout: 60_000 }, async (_name, ask) => {
    const answer = await without('dynamodb', ask);
    expect(answer).toMatchObject(isUnavailable);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  test('a WebSocket gets an error', { timeout: 30_000 }, async () => {
    const { body } = await world.api('POST', '/tickets');
    const socket = new WebSocket(`${world.stack.outputs.SocketUrl}?ticket=${body.ticket}`);
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    const notice = await without('dynamodb', async () => {
      const told = new Promise<string>((resolve) =>
        socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
      );
      socket.send(JSON.stringify({ action: 'subscribe', sessionId: 's1', after: 0 }));
      return JSON.parse(await told);
    });
    socket.close();
    expect(notice).toMatchObject({ type: 'error', sessionId: 's1', problem: isUnavailable.body });
  });
});

describe('without its queue', () => {
  test('a session is refused with 503, and its repetition is the only run', { timeout: 60_000 }, async () => {
    const start = () =>
      world.api('POST', '/sessions', { agent: 'worker', message: 'hi' }, { 'idempotency-key': 'once' });
    expect(await without('sqs', start)).toMatchObject(isUnavailable);
    const again = await start();
    expect(again).toMatchObject({ status: 201, body: { duplicate: true } });
    await world.atRest(again.body.sessionId);
    expect((await world.messages(again.body.sessionId)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ]);
  });
});

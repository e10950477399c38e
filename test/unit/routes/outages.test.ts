import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerInTime, problems } from '../../../functions/middleware/problem.ts';
import { addMessage, createSession } from '../../../functions/routes/arrivals.ts';
import type { Route, RouteContext } from '../../../functions/routes/context.ts';
import { postDecision } from '../../../functions/routes/decisions.ts';
import { cancelRun, readEvents, readMessages, readSession } from '../../../functions/routes/reads.ts';
import { answerSocket, type SocketContext } from '../../../functions/routes/socket-actions.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { sweep } from '../../../shared/agent/entrypoints/sweep.ts';
import { isOutage } from '../../../shared/aws/outage.ts';
import { createS3 } from '../../../shared/aws/s3.ts';
import type { Identity } from '../../../shared/contract/identity.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { memoryEdge } from '../../support/memory-edge.ts';

const caller: Identity = { tenant: 'acme', subject: 'user:ada', kind: 'jwt', roles: [] };
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const own = { region: 'us-east-1', credentials, maxAttempts: 1 };

const servers: { close(): unknown; closeAllConnections(): void }[] = [];
beforeEach(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  vi.restoreAllMocks();
});

/** A service on its own port. */
async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const says =
  (status: number, type: string): RequestListener =>
  (_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no' }));

const hangs: RequestListener = () => {};
const hangsUp: RequestListener = (_request, response) => void response.destroy();

const put = (endpoint: string) =>
  new DynamoDBClient({ ...own, endpoint, requestHandler: { socketTimeout: 100 } }).send(
    new PutItemCommand({ TableName: 't', Item: {} }),
  );
const send = (endpoint: string) =>
  new SQSClient({ ...own, endpoint, requestHandler: { socketTimeout: 100 } }).send(
    new SendMessageCommand({ QueueUrl: `${endpoint}/q`, MessageBody: 'x' }),
  );

/** The error that it rejects with. */
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an outage is', () => {
  test.each<[string, RequestListener]>([
    ['a failing service', says(500, 'InternalServerError')],
    ['one that is temporarily unavailable', says(503, 'ServiceUnavailable')],
    ['one that throttles a table', says(400, 'ProvisionedThroughputExceededException')],
    ['one that throttles requests', says(400, 'ThrottlingException')],
    ['one that throttles with a status', says(429, 'TooManyRequests')],
    ['one that hangs', hangs],
    ['one that closes the connection', hangsUp],
  ])('%s', async (_name, listener) => {
    const endpoint = await service(listener);
    expect(isOutage(await errorOf(put(endpoint)))).toBe(true);
    expect(isOutage(await errorOf(send(endpoint)))).toBe(true);
  });

  test('a service that cannot be reached', async () => {
    const endpoint = 'http://127.0.0.1:1';
    expect(isOutage(await errorOf(put(endpoint)))).toBe(true);
    expect(isOutage(await errorOf(send(endpoint)))).toBe(true);
  });

  test.each([500, 503])('an S3 that answers %i', async (status) => {
    const endpoint = await service((_request, response) => response.writeHead(status).end());
    const identity = new DynamoDBClient(own).config;
    expect(isOutage(await errorOf(createS3({ identity, endpoint }).put('b', 'k', 'x')))).toBe(true);
    expect(isOutage(await errorOf(createS3({ identity, endpoint }).get('b', 'k')))).toBe(true);
  });
});

describe('not an outage is', () => {
  test.each([
    'ValidationException',
    'AccessDeniedException',
    'ResourceNotFoundException',
    'QueueDoesNotExist',
  ])('%s', async (type) => {
    const endpoint = await service(says(400, type));
    expect(isOutage(await errorOf(put(endpoint)))).toBe(false);
    expect(isOutage(await errorOf(send(endpoint)))).toBe(false);
  });

  test('an error of our own, or nothing', () => {
    expect([new TypeError('x is not a function'), new Error('no'), undefined, 'no'].map(isOutage)).toEqual(
      Array(4).fill(false),
    );
  });
});

const agent = defineAgent({ name: 'worker', version: '1', model: { name: 'm' }, system: 's', tools: [] });

function api() {
  const world = memoryWorld();
  const context: RouteContext = {
    io: world,
    ...memoryEdge(world),
    agents: [agent],
    webhooks: {},
    priceOf: async () => undefined,
  };
  const ask = async (
    route: Route,
    { body = {}, key = 'k1', sessionId = 's1', msLeft = 29_000 } = {},
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const event = {
      headers: { 'idempotency-key': key },
      body: JSON.stringify(body),
      pathParameters: { sessionId },
      requestContext: { requestId: 'r1' },
    } as unknown as APIGatewayProxyEventV2;
    const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
      .use(problems(isOutage))
      .handler((asked) => route(asked, caller, context));
    return handler(event, { getRemainingTimeInMillis: () => msLeft } as Context);
  };
  return { world, ask };
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
/** Makes the whole service unreachable. */
const breakDown = (store: object) =>
  Object.assign(
    store,
    Object.fromEntries(Object.keys(store).map((name) => [name, () => Promise.reject(refused())])),
  );
const isUnavailable = {
  statusCode: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '5' },
};

describe('while a service is out', () => {
  test.each<[string, Route, object]>([
    ['a session', createSession, { agent: 'worker', message: 'hi' }],
    ['a message', addMessage, { message: 'hi' }],
    ['a decision', postDecision, { id: 'w', approved: true }],
    ['a cancel', cancelRun, {}],
    ['the session', readSession, {}],
    ['its messages', readMessages, {}],
    ['its events', readEvents, {}],
  ])('%s is answered with 503, Retry-After and a problem document', async (_name, route, body) => {
    const { world, ask } = api();
    for (const store of [world.sessions, world.inbox, world.log]) breakDown(store);
    const answer = await ask(route, { body });
    expect(answer).toMatchObject(isUnavailable);
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ status: 503, title: 'Service unavailable' });
  });

  test('a bug of ours is still a 500', async () => {
    const { world, ask } = api();
    const wrong = Object.assign(new Error('no'), {
      name: 'ValidationException',
      $metadata: { httpStatusCode: 400 },
    });
    vi.spyOn(world.sessions, 'read').mockRejectedValue(wrong);
    expect(await ask(readSession)).toMatchObject({ statusCode: 500 });
  });

  test('a hanging service is waited for as long as there is time to report it', async () => {
    const { world, ask } = api();
    vi.spyOn(world.sessions, 'read').mockReturnValue(new Promise(() => {}));
    expect(await ask(readSession, { msLeft: 2_050 })).toMatchObject(isUnavailable);
  });

  test('a message that was kept and has no wake is repeated without a second effect', async () => {
    const { world, ask } = api();
    const down = vi.spyOn(world.queue, 'send').mockRejectedValue(refused());
    const body = { agent: 'worker', message: 'hi' };
    expect(await ask(createSession, { body })).toMatchObject(isUnavailable);
    expect(world.queue.visible()).toHaveLength(0);

    down.mockRestore();
    const again = await ask(createSession, { body });
    const { sessionId, duplicate } = JSON.parse(again.body ?? '');
    expect([again.statusCode, duplicate]).toEqual([201, true]);
    expect(world.queue.visible()).toHaveLength(1);
    const view = await world.sessions.read({ tenant: 'acme', sessionId });
    expect(view?.fence.inbox).toHaveLength(1);
  });

  test('a message that was kept and is never repeated is woken by the sweeper', async () => {
    const { world, ask } = api();
    const down = vi.spyOn(world.queue, 'send').mockRejectedValue(refused());
    await ask(createSession, { body: { agent: 'worker', message: 'hi' } });
    down.mockRestore();
    await world.clock.advance(10 * 60_000);
    expect(await sweep(world)).toEqual({ woken: 1, all: true });
    expect(world.queue.visible()).toHaveLength(1);
  });
});

describe('over a WebSocket', () => {
  function socket() {
    const world = memoryWorld();
    const context: SocketContext = { io: world, ...memoryEdge(world), agents: [agent] };
    const say = async (request: object, msLeft = 27_000) => {
      await context.connections.open('c1', caller);
      const frame = { connectionId: 'c1', requestId: 'r1', body: JSON.stringify(request), msLeft };
      return answerSocket(frame, context);
    };
    return { world, say, told: () => world.sockets.sent.map(({ data }) => JSON.parse(data)) };
  }
  const notice = { type: 'error', sessionId: 's1', problem: { status: 503, title: 'Service unavailable' } };

  test.each([
    { action: 'subscribe', after: 0 },
    { action: 'unsubscribe' },
    { action: 'cancel' },
    { action: 'decide', id: 'w', approved: true },
  ])('a client is told of an outage: $action', async (request) => {
    const { world, say, told } = socket();
    breakDown(world.sessions);
    expect(await say({ ...request, sessionId: 's1' })).toBe(503);
    expect(told()).toMatchObject([notice]);
  });

  test('and of a hanging service, before its time is over', async () => {
    const { world, say, told } = socket();
    vi.spyOn(world.sessions, 'cancel').mockReturnValue(new Promise(() => {}));
    expect(await say({ action: 'cancel', sessionId: 's1' }, 50)).toBe(503);
    expect(told()).toMatchObject([notice]);
  });

  test("a client's bad request is not a failure of the route", async () => {
    const { say, told } = socket();
    expect(await say({ action: 'cancel', sessionId: 'nothere' })).toBe(200);
    expect(told()).toMatchObject([{ type: 'error', problem: { status: 404 } }]);
  });
});

import { describe, expect, test } from 'vitest';
import { rateMs } from '../../../local/stack/events/rate.ts';
import { scheduledEvent } from '../../../local/stack/events/schedule.ts';
import { doneMessages, type ReceivedMessage, toSqsEvent } from '../../../local/stack/events/sqs-event.ts';
import { toHttpEvent } from '../../../local/stack/gateway/http-event.ts';
import {
  type SocketHappening,
  selectRoute,
  toSocketEvent,
} from '../../../local/stack/gateway/socket-event.ts';

describe('rate expressions', () => {
  test.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(1 hour)', 3_600_000],
    ['rate(2 days)', 172_800_000],
  ])('%s', (expression, expected) => {
    expect(rateMs(expression)).toBe(expected);
  });

  test.each(['cron(0 * * * ? *)', 'rate(0 minutes)', 'rate(1 second)', 'at(2026-01-01T00:00:00)'])(
    '%s is refused',
    (expression) => {
      expect(() => rateMs(expression)).toThrow('is not supported');
    },
  );
});

describe('SQS batches', () => {
  const message = (id: string): ReceivedMessage => ({
    MessageId: id,
    ReceiptHandle: `r${id}`,
    Body: 'b',
    MD5OfBody: 'm',
  });
  const batch = ['1', '2', '3'].map(message);
  const failing = (...ids: unknown[]): string =>
    JSON.stringify({ batchItemFailures: ids.map((id) => ({ itemIdentifier: id })) });
  test.each([
    ['null', '123'],
    ['{}', '123'],
    ['{"batchItemFailures":null}', '123'],
    ['{"batchItemFailures":[]}', '123'],
    [failing('2'), '13'],
    [failing('1', '2', '3'), ''],
    [failing(''), ''],
    [failing(null), ''],
    [failing('9'), ''],
    ['{"batchItemFailures":[{"id":"1"}]}', ''],
    ['{"batchItemFailures":"1"}', ''],
    ['"fine"', ''],
  ])('after %s, done are: %s', (result, done) => {
    expect(
      doneMessages(batch, result, true)
        .map(({ MessageId }) => MessageId)
        .join(''),
    ).toBe(done);
  });

  test('without partial responses any result means all done', () => {
    expect(doneMessages(batch, failing('1'), false)).toHaveLength(3);
  });

  test('message attributes have the names of Lambda', () => {
    const attributes = {
      n: { DataType: 'Number', StringValue: '1' },
      b: { DataType: 'Binary', BinaryValue: 'AA==' },
    };
    expect(toSqsEvent([{ ...message('1'), MessageAttributes: attributes }], 'arn')).toMatchObject({
      Records: [
        {
          messageAttributes: {
            n: { dataType: 'Number', stringValue: '1', stringListValues: [], binaryListValues: [] },
            b: { dataType: 'Binary', binaryValue: 'AA==' },
          },
        },
      ],
    });
  });
});

test('a scheduled event looks like one of EventBridge', () => {
  const settings = {
    arn: 'arn:rule',
    expression: 'rate(1 minute)',
    source: 'aws.events',
    input: undefined,
  } as const;
  expect(scheduledEvent(settings, new Date(0))).toMatchObject({
    time: '1970-01-01T00:00:00Z',
    resources: ['arn:rule'],
    account: '000000000000',
    detail: {},
  });
});

test('repeated request headers are joined, cookies moved, times formatted as API Gateway does', () => {
  const event = toHttpEvent({
    apiId: 'id',
    stage: '$default',
    routeKey: '$default',
    pathParameters: {},
    method: 'GET',
    url: '/p',
    httpVersion: '1.1',
    rawHeaders: ['X-A', '1', 'x-a', '2', 'Cookie', 'a=1;b=2', 'Host', 'h'],
    body: Buffer.alloc(0),
    requestId: 'r',
    sourceIp: '127.0.0.1',
    now: new Date('2020-03-12T19:03:58.123Z'),
  });
  expect(event).toMatchObject({
    headers: { 'x-a': '1,2', host: 'h' },
    cookies: ['a=1', 'b=2'],
    rawQueryString: '',
    requestContext: { time: '12/Mar/2020:19:03:58 +0000', domainName: 'h' },
  });
  expect(event).not.toHaveProperty('headers.cookie');
  expect(event).not.toHaveProperty('queryStringParameters');
});

const prototypes = ['constructor', '__proto__', 'toString'];

test.each(prototypes)('a header and a key of the query named %s are like any other', (name) => {
  const event = toHttpEvent({
    ...{ apiId: 'id', stage: '$default', routeKey: '$default', pathParameters: {}, method: 'GET' },
    url: `/p?${name}=1&${name}=2`,
    httpVersion: '1.1',
    rawHeaders: [name, '3', 'Host', 'h'],
    body: Buffer.alloc(0),
    ...{ requestId: 'r', sourceIp: '127.0.0.1', now: new Date(0) },
  }) as Record<'headers' | 'queryStringParameters', object>;
  expect(Object.entries(event.headers)).toEqual([
    [name.toLowerCase(), '3'],
    ['host', 'h'],
  ]);
  expect(Object.entries(event.queryStringParameters)).toEqual([[name, '1,2']]);
});

describe('WebSocket events', () => {
  const facts = {
    connectionId: 'c=',
    apiId: 'a',
    stage: 'live',
    domainName: 'd',
    connectedAt: 1,
    sourceIp: 'ip',
    userAgent: 'ua',
  };

  test.each([
    ['$request.body.action', '{"action":"go"}', 'go'],
    ['$request.body.action', '{"action":"unknown"}', '$default'],
    ['$request.body.action', 'no json', '$default'],
    ['$request.body.a.b', '{"a":{"b":"go"}}', 'go'],
    ['$default', '{"action":"go"}', '$default'],
  ])('%s selects by %s: %s', (expression, body, expected) => {
    expect(selectRoute(expression, Buffer.from(body), (key) => ['go', '$default'].includes(key))).toBe(
      expected,
    );
  });

  test('binary messages arrive in base64', () => {
    const happening = {
      kind: 'message',
      requestId: 'r',
      messageId: 'm',
      routeKey: 'go',
      data: Buffer.from([255]),
      binary: true,
    } as const;
    expect(toSocketEvent(facts, happening, 2)).toMatchObject({
      body: '/w==',
      isBase64Encoded: true,
      requestContext: {
        eventType: 'MESSAGE',
        routeKey: 'go',
        messageId: 'm',
        connectionId: 'c=',
        connectedAt: 1,
        requestTimeEpoch: 2,
      },
    });
  });

  test('a handshake keeps header names and repeated query values', () => {
    const happening = {
      kind: 'connect',
      requestId: 'r',
      rawHeaders: ['Host', 'h'],
      search: 'a=1&a=2',
    } satisfies SocketHappening;
    expect(toSocketEvent(facts, happening)).toMatchObject({
      headers: { Host: 'h' },
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      requestContext: { eventType: 'CONNECT', routeKey: '$connect' },
    });
  });

  test.each(prototypes)(
    'a handshake with a header and a key of the query named %s is like any other',
    (name) => {
      const happening = {
        ...{ kind: 'connect', requestId: 'r' },
        ...{ rawHeaders: [name, '3'], search: `${name}=1&${name}=2` },
      } satisfies SocketHappening;
      const event = toSocketEvent(facts, happening) as Record<string, object>;
      expect(Object.entries(event.multiValueHeaders ?? {})).toEqual([[name, ['3']]]);
      expect(Object.entries(event.multiValueQueryStringParameters ?? {})).toEqual([[name, ['1', '2']]]);
    },
  );
});

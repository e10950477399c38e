import { describe, expect, test } from 'vitest';
import { corsHeaders } from '../../../local/stack/gateway/cors.ts';
import { toHttpReply } from '../../../local/stack/gateway/http-response.ts';
import { matchRoute } from '../../../local/stack/gateway/routes.ts';

describe('route matching', () => {
  const keys = [
    '$default',
    'ANY /{proxy+}',
    'GET /pets/{proxy+}',
    'GET /pets/{pet}/{id}',
    'GET /pets/dog/{id}',
    'ANY /pets/dog/1',
    'GET /pets/dog/1',
    'GET /',
  ];
  const routes = keys.map((key) => ({ key, target: key }));
  test.each([
    ['GET', '/pets/dog/1', 'GET /pets/dog/1', {}],
    ['PUT', '/pets/dog/1', 'ANY /pets/dog/1', {}],
    ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
    ['GET', '/pets/cat/a%2Fb', 'GET /pets/{pet}/{id}', { pet: 'cat', id: 'a/b' }],
    ['GET', '/pets/cat/2/3', 'GET /pets/{proxy+}', { proxy: 'cat/2/3' }],
    ['POST', '/pets/cat/2', 'ANY /{proxy+}', { proxy: 'pets/cat/2' }],
    ['GET', '/', 'GET /', {}],
    ['POST', '/', '$default', {}],
  ])('%s %s matches %s', (method, path, key, pathParameters) => {
    expect(matchRoute(routes, method, path)).toEqual({ route: { key, target: key }, pathParameters });
  });

  test.each([
    ['GET', '/a'],
    ['GET', '/a/b/c'],
    ['GET', '/a/'],
    ['POST', '/a/b'],
  ])('%s %s does not match GET /a/{b}', (method, path) => {
    expect(matchRoute([{ key: 'GET /a/{b}', target: 1 }], method, path)).toBeUndefined();
  });
});

describe('the return value of a function becomes a response', () => {
  test.each([
    ['an object without statusCode', '{"a":1}', 200, 'application/json', '{"a":1}'],
    ['a text', '"hello"', 200, 'application/json', 'hello'],
    ['nothing', 'null', 200, 'application/json', 'null'],
    ['only a status', '{"statusCode":204}', 204, 'text/plain;charset=utf-8', ''],
    ['a status as text', '{"statusCode":"404","body":"no"}', 404, 'text/plain;charset=utf-8', 'no'],
    [
      'headers in any case',
      '{"statusCode":200,"headers":{"Content-Type":"text/html"},"body":"<p>"}',
      200,
      'text/html',
      '<p>',
    ],
    [
      'a body that is not text',
      '{"statusCode":200,"body":{}}',
      500,
      'application/json',
      '{"message":"Internal Server Error"}',
    ],
    [
      'an invalid status',
      '{"statusCode":"x"}',
      500,
      'application/json',
      '{"message":"Internal Server Error"}',
    ],
  ])('%s', (_name, result, status, type, body) => {
    const reply = toHttpReply(result);
    expect([reply.status, reply.headers['content-type'], reply.body.toString()]).toEqual([
      status,
      type,
      body,
    ]);
  });
});

test('CORS headers are for allowed origins only', () => {
  const cors = {
    allowOrigins: ['http://localhost:*'],
    allowMethods: [],
    allowHeaders: [],
    exposeHeaders: ['x-a'],
    allowCredentials: true,
    maxAge: undefined,
  };
  expect(corsHeaders(cors, 'http://localhost:3000')).toEqual({
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'x-a',
  });
  expect(corsHeaders(cors, 'http://elsewhere')).toEqual({});
  expect(corsHeaders(cors, undefined)).toEqual({});
});

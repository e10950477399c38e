/** The surroundings of the functions: addresses that they call, the page that they serve, and the services of the laptop. */

import { describe, expect, test } from 'vitest';
import { inside, notPublic } from '../../support/addresses.ts';
import { attempt } from '../attempts.ts';
import { raw, type Target } from '../target.ts';

/** The stack of the tests may call its own machine, as on a laptop. */
const isOwn = (url: string) =>
  URL.canParse(url) && /^(?:127\.|.*localhost\.?$|\[::1\]$)/.test(new URL(url).hostname);
const urls = [
  ...notPublic.map(([url]) => url),
  ...inside.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/`),
].filter((url) => !isOwn(url));

export function internalAddresses(it: () => Target): void {
  test.each(urls)('a callback to %s is refused', async (callbackUrl) => {
    attempt('internal addresses');
    const ada = await it().user('ada');
    const body = { agent: 'worker', message: 'hello', callbackUrl };
    expect(await ada('POST', '/sessions', body)).toMatchObject({ status: 400 });
  });
}

export function contentPolicy(it: () => Target): void {
  test.each([
    '/console',
    '/console/',
    '/console/sessions/s1',
    '/console/%3Cscript%3E',
    '/console/assets/x',
    '/console/config.json',
  ])('%s runs no script but its own', async (path) => {
    attempt('content security policy');
    const { status, headers, text } = await raw(it().world.stack.outputs.HttpUrl, 'GET', path);
    if (path.endsWith('config.json') || status === 404) {
      expect(headers['content-type']).toMatch(/json/);
      return;
    }
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((part) => [part.split(' ')[0], part.split(' ').slice(1)]),
    );
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('script-src')).toEqual(["'self'"]);
    expect(policy.get('base-uri')).toEqual(["'none'"]);
    expect(policy.get('form-action')).toEqual(["'none'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    expect(policy.get('require-trusted-types-for')).toEqual(["'script'"]);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|\son\w+=/);
  });
}

const signed = { authorization: 'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request' };
/** Requests that a page in a browser of this machine can send. */
const pages: readonly [what: string, headers: Record<string, string>, query?: string][] = [
  ['a page', { ...signed, origin: 'https://evil.test' }],
  ['a page of this machine', { ...signed, origin: 'http://localhost:3000' }],
  ['a page without an origin', { ...signed, origin: 'null' }],
  ['an image on a page', { ...signed, 'sec-fetch-site': 'cross-site' }],
  ['a frame on a page of this machine', { ...signed, 'sec-fetch-site': 'same-site' }],
  ['a name that was pointed at this machine', { ...signed, host: 'evil.test:4001' }],
  ['a name that ends like a local one', { ...signed, host: 'localhost.evil.test' }],
  ['nobody', {}],
  [
    'a page that writes the name of a signature',
    { origin: 'https://evil.test' },
    '&prefix=X-Amz-Signature=1',
  ],
];

export function embeddedServices(it: () => Target): void {
  const services = ['dynamodb', 's3', 'sqs', 'secretsManager'] as const;
  describe.each(services)('the embedded %s', (service) => {
    test.each(pages)('does not answer to %s', async (_what, headers, query = '') => {
      attempt('pages at the embedded services');
      const target = {
        dynamodb: 'DynamoDB_20120810.ListTables',
        sqs: 'AmazonSQS.ListQueues',
        secretsManager: 'secretsmanager.ListSecrets',
        s3: '',
      }[service];
      const { endpoints } = it().world.stack;
      const answer = await raw(
        endpoints[service],
        service === 's3' ? 'GET' : 'POST',
        `/?list-type=2${query}`,
        {
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            ...(target && { 'x-amz-target': target }),
            ...headers,
          },
          body: service === 's3' ? '' : '{}',
        },
      );
      expect([400, 403]).toContain(answer.status);
      expect(answer.text).toMatch(/AccessDenied/);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    });
  });
}

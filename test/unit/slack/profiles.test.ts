import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProfiles } from '../../../shared/slack/profiles.ts';

const asked: string[] = [];
let answer: object | string = {};
let server: Server;
let apiUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
});
afterAll(() => void server.close());

const home = { team: 'T1', secretId: 's' };
const profiles = (clock = { now: () => 0 }) =>
  createProfiles({ apiUrl, clock, tokenOf: async () => 'xoxb-test' });

describe('the profile of a person in Slack', () => {
  test('is fetched from Slack once an hour: the chosen name, and the time zone', async () => {
    asked.length = 0;
    answer = {
      ok: true,
      user: {
        real_name: 'Ann Lee',
        tz: 'Pacific/Auckland',
        profile: { display_name: 'ann', real_name: 'A' },
      },
    };
    let now = 0;
    const profileOf = profiles({ now: () => now });
    expect(await profileOf(home, 'U1')).toEqual({ name: 'ann', zone: 'Pacific/Auckland' });
    await profileOf(home, 'U1');
    expect(asked).toEqual(['Bearer xoxb-test /api/users.info?user=U1']);
    now = 3_600_001;
    answer = { ok: true, user: { real_name: 'Ann Lee', profile: { display_name: '' } } };
    expect(await profileOf(home, 'U1')).toEqual({ name: 'Ann Lee' });
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['the scope is missing', { ok: false, error: 'missing_scope' }],
    ['it is rate limited', { ok: false, error: 'ratelimited' }],
    ['it answers with another body', '<html>'],
  ])('is empty when %s, and Slack is not called for five minutes', async (_, said) => {
    asked.length = 0;
    answer = said;
    let now = 0;
    const profileOf = profiles({ now: () => now });
    expect(await profileOf(home, 'U1')).toEqual({});
    now = 299_000;
    await profileOf(home, 'U1');
    expect(asked).toHaveLength(1);
  });

  test('is empty if its token cannot be read, and never an error', async () => {
    const profileOf = createProfiles({
      apiUrl,
      clock: { now: () => 0 },
      tokenOf: () => Promise.reject(new Error('no secret')),
    });
    expect(await profileOf(home, 'U1')).toEqual({});
  });
});

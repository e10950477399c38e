import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let idp: OidcIssuer;
let world: Embedded;
/** Lets the runs that wait in their tool end. */
let letGo = () => {};
beforeAll(async () => {
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  idp = await startOidcIssuer();
  model = await ruleModel(({ turn, lastText }) =>
    turn === 0 && lastText === 'wait' ? callTools(['look', { n: 1 }]) : sayText('Done.'),
  );
  world = await embedded({
    model,
    tools: () => gate.then(() => ({ ok: true })),
    variables: {
      [env.OIDC_ISSUER]: idp.issuer,
      [env.OIDC_AUDIENCE]: idp.audience,
      [env.MESSAGES_PER_MINUTE]: '8',
      [env.SESSIONS_AT_ONCE]: '2',
    },
  });
});
afterAll(async () => {
  letGo();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

/** Calls the API as a user of this tenant. Each test has its own tenant. */
async function of(tenant: string) {
  const authorization = `Bearer ${await idp.token({ tenant })}`;
  return (method: string, path: string, body?: unknown) => world.api(method, path, body, { authorization });
}
const start = (message: string) => ['POST', '/sessions', { agent: 'worker', message }] as const;

describe('429 with Retry-After', () => {
  test('for the message after the last allowed one of a minute, and for this tenant only', async () => {
    const call = await of('chatty');
    const { body } = await call(...start('hello'));
    const path = `/sessions/${body.sessionId}/messages`;
    const answers = [];
    // A minute may end in between, which allows as many again.
    for (let i = 0; i < 17; i++) answers.push(await call('POST', path, { message: 'more' }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.slice(0, 7).some(({ status }) => status === 429)).toBe(false);
    for (const { headers, body } of refused) {
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(body).toMatchObject({ title: 'Too many messages', status: 429, detail: expect.any(String) });
    }
    // Reading and stopping are never refused.
    expect(await call('GET', `/sessions/${body.sessionId}`)).toMatchObject({ status: 200 });
    expect(await call('POST', `/sessions/${body.sessionId}/cancel`)).toMatchObject({ status: 202 });
    expect(await (await of('quiet'))(...start('hello'))).toMatchObject({ status: 201 });
  });

  test('for all of a burst except as many as may run at once', async () => {
    const call = await of('bursting');
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(...start('wait'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, ...Array(6).fill(429)]);
    const later = await Promise.all(Array.from({ length: 5 }, () => call(...start('wait'))));
    expect(later.map(({ status }) => status)).toEqual(Array(5).fill(429));
  });

  test('for one session more than may run at once, until another comes to rest', async () => {
    const call = await of('busy');
    const [one, two] = [await call(...start('wait')), await call(...start('wait'))];
    expect([one.status, two.status]).toEqual([201, 201]);
    const third = await call(...start('hello'));
    expect(third).toMatchObject({ status: 429, body: { title: 'Too many sessions' } });
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    // A message for a session that runs joins its run.
    const path = `/sessions/${one.body.sessionId}/messages`;
    expect(await call('POST', path, { message: 'and hurry' })).toMatchObject({ status: 202 });

    letGo();
    for (;;) {
      const states = await Promise.all(
        [one, two].map(async ({ body }) => (await call('GET', `/sessions/${body.sessionId}`)).body.state),
      );
      if (states.every((state) => state !== 'running')) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 2_100)); // the sessions are checked every 2 s
    expect(await call(...start('hello'))).toMatchObject({ status: 201 });
  });
});

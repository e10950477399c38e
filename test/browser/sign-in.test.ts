/** No user is signed in to the console by another person's link, and a session there ends with its token. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import { barriers, type ConsoleBrowser, consoleBrowser, signIn } from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

let model: RuleModel;
let idp: OidcIssuer;
let world: Embedded;
let browser: ConsoleBrowser;

beforeAll(async () => {
  model = await ruleModel(() => sayText('Done.'));
  idp = await startOidcIssuer();
  const variables = { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: `${idp.audience},console` };
  [world, browser] = await Promise.all([embedded({ model, variables }), consoleBrowser()]);
}, 120_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

const at = (path = '') => `${world.stack.outputs.HttpUrl}/console${path}`;
/** The credentials that the page has sent. */
function sentBy(page: Page): Set<string> {
  const sent = new Set<string>();
  page.on('request', (request) => {
    const { authorization } = request.headers();
    if (authorization) sent.add(authorization);
  });
  return sent;
}
const sessions = (page: Page) => page.getByRole('heading', { name: 'Sessions' });

test('a link with a token uses it only after the user has agreed, and says whose it is', async () => {
  await using tab = await browser.tab();
  const { page } = tab;
  const sent = sentBy(page);
  const token = await idp.token({ sub: 'mallory' });
  await page.goto(at(`/now#token=${token}`));
  await page.getByText('mallory').waitFor();
  expect(page.url()).toBe(at('/now'));
  expect(await barriers(page)).toEqual([]);
  expect([...sent]).toEqual([]);
  await page.reload();
  await page.getByLabel('Token or API key').waitFor();
  expect([...sent]).toEqual([]);

  await signIn(page, at(`#token=${token}`));
  await sessions(page).waitFor();
  expect([...sent]).toEqual([`Bearer ${token}`]);
  expect(page.url()).toBe(at());
});

test('a user who declines the token of a link signs in in another way', async () => {
  await using tab = await browser.tab();
  const { page } = tab;
  const sent = sentBy(page);
  await page.goto(at(`#token=${await idp.token({ sub: 'mallory' })}`));
  await page.getByRole('button', { name: 'Sign in otherwise' }).click();
  await page.getByLabel('Token or API key').fill(world.token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await sessions(page).waitFor();
  expect([...sent]).toEqual([`Bearer ${world.token}`]);
});

test.each([
  ['loads the page again', true],
  ['only changes the part after #', false],
])('a user who is signed in stays so when a link with another token %s', async (_, loads) => {
  await using tab = await browser.tab();
  const { page } = tab;
  const sent = sentBy(page);
  await signIn(page, at(`#token=${world.token}`));
  await sessions(page).waitFor();
  const token = await idp.token({ sub: 'mallory' });
  if (loads) await page.goto(at(`/now#token=${token}`));
  else await page.evaluate(`location.hash = '#token=${token}'`);
  await page.getByRole('status').getByText('You are signed in already').waitFor();
  expect(page.url()).toBe(at(loads ? '/now' : ''));
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  expect([...sent]).toEqual([`Bearer ${world.token}`]);
});

test('a session ends with its token, without a request that is refused', async () => {
  await using tab = await browser.tab();
  const { page, context } = tab;
  const exp = Math.ceil(Date.now() / 1000) + 8;
  await signIn(page, at(`#token=${await idp.token({ exp })}`));
  await sessions(page).waitFor();
  await context.setOffline(true);
  await page.getByRole('alert').getByText('its token has expired').waitFor();
  expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
  expect(await sessions(page).count()).toBe(0);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a session from the issuer ends with the token that the APIs get', async () => {
  await using tab = await browser.tab();
  const { page, context } = tab;
  await page.goto(at());
  await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
  await sessions(page).waitFor();
  await context.setOffline(true);
  // Its tokens are valid for an hour.
  await page.clock.install({ time: Date.now() });
  await page.clock.fastForward('01:01:00');
  await page.getByRole('alert').getByText('its token has expired').waitFor();
});

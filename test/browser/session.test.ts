/**
 * The console in a real browser, on the embedded stack: text appears as it is streamed, and an operator steers the
 * session.
 */

import type { WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '../../shared/contract/env.ts';
import {
  barriers,
  type ConsoleBrowser,
  consoleBrowser,
  signIn,
  type Tab,
  tooWide,
} from '../support/browser.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { type PatientModel, patientModel } from '../support/patient-model.ts';
import { callTools, sayText } from '../support/rule-model.ts';

let model: PatientModel;
let idp: OidcIssuer;
let world: Embedded;
let browser: ConsoleBrowser;
let tab: Tab;

const hostile =
  '# Title\n\n<img src=x onerror="alert(1)"> [a link](https://example.com/a) **bold** ![p](https://example.com/p.png)';

beforeAll(async () => {
  model = await patientModel(({ lastText, turn, body }) => {
    if (lastText === 'hostile') return sayText(hostile);
    if (!JSON.stringify(body.system).includes('house-rules')) return undefined;
    return turn === 0 ? callTools(['skill', { name: 'house-rules' }]) : sayText('Decided.');
  });
  idp = await startOidcIssuer();
  const variables = { [env.OIDC_ISSUER]: idp.issuer, [env.OIDC_AUDIENCE]: `${idp.audience},console` };
  [world, browser] = await Promise.all([embedded({ model, variables }), consoleBrowser()]);
  tab = await browser.tab();
}, 120_000);
afterAll(async () => {
  model?.goOn();
  await browser?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

const adminOf = (tenant: string) => idp.token({ tenant, sub: 'ada', roles: ['steploop-admin'] });

/** Makes an API key of another tenant. */
async function mint(tenant: string): Promise<{ keyId: string; key: string }> {
  const headers = { authorization: `Bearer ${await adminOf(tenant)}` };
  return (await world.api('POST', '/keys', { name: 'console' }, headers)).body;
}

const at = (path = '') => `${world.stack.outputs.HttpUrl}/console${path}`;

test('a link with a token signs in, and no address contains the token afterwards', async () => {
  const { page } = tab;
  await signIn(page, at(`#token=${world.token}`));
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  expect(page.url()).toBe(at());
});

test('a wrong token is refused with a message, and a right one is accepted', async () => {
  await using other = await browser.tab();
  const { page } = other;
  await page.goto(at());
  await page.getByLabel('Token or API key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByText('Not authorized').waitFor();
  await page.getByLabel('Token or API key').fill(world.token);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
});

test('a user who signs in at the issuer returns to the place they wanted, with the same permissions as over the API', async () => {
  await using other = await browser.tab();
  const { page } = other;
  const token = await idp.token();
  const mine = await world.api(
    'POST',
    '/sessions',
    { agent: 'worker', message: 'of acme' },
    { authorization: `Bearer ${token}` },
  );
  await page.goto(at(`/sessions/${mine.body.sessionId}`));
  await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
  await page.getByRole('region', { name: 'Conversation' }).getByText('of acme').waitFor();
  expect(page.url()).toBe(at(`/sessions/${mine.body.sessionId}`));
  expect(other.complaints).toEqual([]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token or API key').waitFor();
});

test('text continues after the socket was lost', async () => {
  await using other = await browser.tab();
  const { page } = other;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/live\?/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  const id = await world.start('slowly');
  await signIn(page, at(`/sessions/${id}#token=${world.token}`));
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.getByText('The beginning', { exact: true }).waitFor();
  expect(sockets).toHaveLength(1);
  await sockets[0]?.close({ code: 3000, reason: 'lost' });
  model.goOn();
  await talk.getByText('The beginning and the end.').waitFor();
  expect(sockets).toHaveLength(2);
});

test('text is shown as it streams, and after a reload', async () => {
  const { page } = tab;
  const id = await world.start('slowly');
  await page.goto(at(`/sessions/${id}`));
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.getByText('The beginning', { exact: true }).waitFor();
  model.goOn();
  await talk.getByText('The beginning and the end.').waitFor();
  await page.getByRole('status').getByText('Completed').first().waitFor();
  await page.reload();
  await talk.getByText('The beginning and the end.').waitFor();
});

test('text from a model makes no elements, and its links send no referrer', async () => {
  const { page } = tab;
  const id = await world.start('hostile');
  await page.goto(at(`/sessions/${id}`));
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.getByText('bold').waitFor();
  expect(await talk.locator('img').count()).toBe(0);
  expect(await talk.getByText('onerror').count()).toBe(1);
  expect(await talk.getByRole('link', { name: 'a link' }).getAttribute('rel')).toBe(
    'noopener noreferrer nofollow',
  );
});

test('a call is approved next to its whole input', async () => {
  const { page } = tab;
  const id = await world.start('pay');
  await page.goto(at(`/sessions/${id}`));
  const wait = page.getByRole('region', { name: 'Asked: transfer' });
  await wait.getByText('n: 7').waitFor();
  await wait.getByLabel('Note').fill('paid twice is enough');
  await wait.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('Completed').first().waitFor();
  expect(world.toolStarts).toMatchObject([{ name: 'transfer', input: { n: 7 } }]);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the page of a session meets WCAG AA: %s, %i px wide', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  const id = await world.start('pay');
  await page.goto(at(`/sessions/${id}`));
  await page.getByRole('region', { name: 'Asked: transfer' }).getByText('n: 7').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
});

test('a run is stopped, and gets another message', async () => {
  const { page } = tab;
  const id = await world.start('slowly');
  await page.goto(at(`/sessions/${id}`));
  await page.getByRole('region', { name: 'Conversation' }).getByText('The beginning').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('status').getByText('Stopped').first().waitFor();
  await page.getByLabel('Message').fill('hello');
  await page.getByLabel('Message').press('Enter');
  await page.getByRole('region', { name: 'Conversation' }).getByText('Done.').waitFor();
});

test('a user whose key is revoked has to sign in again', async () => {
  await using other = await browser.tab();
  const { page } = other;
  const { keyId, key } = await mint('globex');
  await signIn(page, at(`#token=${key}`));
  await page.getByText('None.').waitFor();
  const headers = { authorization: `Bearer ${await adminOf('globex')}` };
  expect((await world.api('POST', `/keys/${keyId}/revoke`, undefined, headers)).status).toBe(200);
  await page.getByLabel('Token or API key').waitFor();
  await page.getByRole('alert').getByText('was revoked').waitFor();
});

test('a key of another tenant is shown nothing of a session', async () => {
  const id = await world.start('secret');
  await using other = await browser.tab();
  const { page } = other;
  await signIn(page, at(`/sessions/${id}#token=${(await mint('acme')).key}`));
  await page.getByRole('alert').getByText('No such session').waitFor();
  expect(await page.getByText('secret').count()).toBe(0);
});

test('a key of another tenant finds nothing by a search, and compares nothing', async () => {
  const id = await world.start('secret');
  await using other = await browser.tab();
  const { page } = other;
  await signIn(page, at(`/search?text=secret#token=${(await mint('initech')).key}`));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('status').getByText('There are no sessions to search.').waitFor();
  await page.goto(at(`/compare?a=${id}`));
  await page.getByRole('alert').getByText('No such session').waitFor();
});

test('a session shows the skills that it has read, with their versions', async () => {
  const { body } = await world.api('POST', '/sessions', { agent: 'reader', message: 'Decide.' });
  await using other = await browser.tab();
  const { page } = other;
  await signIn(page, at(`/sessions/${body.sessionId}#token=${world.token}`));
  await page.locator('[title^="version "]', { hasText: /^house-rules$/ }).waitFor();
  expect(await tooWide(page)).toEqual([]);
});

test('nothing on the page violates its own policy', () => {
  expect(tab.complaints).toEqual([]);
});

/** An operator finds problems on the console's first page, changes settings, and retries, in a real browser. */

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriers, signIn, type Tab, tooWide } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import { type Embedded, webhookSecrets } from '../support/embedded.ts';
import { apiError } from '../support/model-server.ts';
import { sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;
let world: Embedded;
let tab: Tab;

beforeAll(async () => {
  it = await consoleWorld(
    ({ lastText }) =>
      lastText.includes('revoked')
        ? apiError(401, 'authentication_error', 'invalid x-api-key')
        : sayText('Done.'),
    { variables: { TENANT_STEPS_PER_DAY: '1000' } },
  );
  ({ world, tab } = it);
  await world.atRest(await world.start('with a revoked key'));
  await world.atRest(await world.start('a good one'));
  await it.signIn();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);

/** A delivery whose callback must not be called. */
async function deadDelivery(id: string): Promise<void> {
  const object = { id: 'order_1', metadata: { callback: 'http://10.0.0.1/told' } };
  const payload = JSON.stringify({ id, type: 'charge.failed', object: 'event', data: { object } });
  const at = Math.floor(Date.now() / 1000);
  const sign = createHmac('sha256', webhookSecrets.STRIPE_WEBHOOK_SECRET)
    .update(`${at}.${payload}`)
    .digest('hex');
  const { status, body } = await world.api('POST', '/hooks/stripe', payload, {
    'stripe-signature': `t=${at},v1=${sign}`,
  });
  expect([status, body]).toEqual([202, { kept: expect.any(String) }]);
}

test('the first page shows a revoked model key, in a sentence that links to the sessions it fails', async () => {
  const { page } = tab;
  const failing = page.getByRole('group', { name: 'Failing' });
  await failing
    .getByText(/authentication_error|refused|401/)
    .first()
    .waitFor();
  await failing.getByRole('link', { name: '1 session' }).click();
  const list = page.getByRole('region', { name: 'Sessions' });
  await list.getByRole('link', { name: /revoked key/ }).waitFor();
  await list.getByRole('link', { name: /a good one/ }).waitFor({ state: 'hidden' });
  expect(page.url()).toContain('reason=provider_error');
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Failing' }).getByRole('link', { name: '1 session' }).waitFor();
});

test('a dead delivery is redriven, and the page shows its outcome', async () => {
  const { page } = tab;
  await deadDelivery('evt_1');
  await page.goto(at('/now'));
  const dead = page.getByRole('region', { name: 'Dead deliveries' });
  await dead.getByText(/callback_refused/).waitFor();
  await dead.getByRole('button', { name: /^Redrive .*evt_1/ }).click();
  await dead.getByRole('alert').getByText('It failed again').waitFor();
});

test('a callback that fails is tried again by a button, and then says nothing more', async () => {
  let isUp = false;
  const receiver = createServer((_request, response) => response.writeHead(isUp ? 204 : 503).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const callbackUrl = `http://127.0.0.1:${port}/`;
  const { body } = await world.api('POST', '/sessions', { agent: 'worker', message: 'call me', callbackUrl });
  const { page } = tab;
  await page.goto(at(`/sessions/${body.sessionId}`));
  await page.getByText(/The callback failed once \(503\), next try at/).waitFor();
  isUp = true;
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByText(/The callback failed/).waitFor({ state: 'hidden' });
  receiver.close();
});

test('a budget is set in the settings, and the overview shows spend against it', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Settings' }).click();
  const limits = page.getByRole('region', { name: 'Limits' });
  await limits.getByLabel('Steps a day').fill('500');
  await limits.getByLabel('Models, USD a day').fill('2.5');
  await limits.getByRole('button', { name: 'Save limits' }).click();
  await page.getByRole('region', { name: 'Budget' }).getByRole('cell', { name: '$2.50' }).waitFor();
  expect((await world.api('GET', '/budgets')).body.own).toEqual({ stepsPerDay: 500, usdPerDay: 2.5 });
  await limits.getByLabel('Models, USD a day').fill('');
  await limits.getByRole('button', { name: 'Save limits' }).click();
  await page
    .getByRole('region', { name: 'Budget' })
    .getByRole('cell', { name: '$2.50' })
    .waitFor({ state: 'hidden' });
  expect((await world.api('GET', '/budgets')).body.own).toEqual({ stepsPerDay: 500 });
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Budget' }).getByRole('cell', { name: '500' }).waitFor();
});

test('a key is made, shown once, and revoked after a second confirmation', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Settings' }).click();
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByLabel('Name').fill('nightly report');
  await keys.getByRole('button', { name: 'Create key' }).click();
  const text = (await keys.getByText(/^sl_default\./).textContent()) ?? '';
  const headers = { authorization: `Bearer ${text.trim()}` };
  expect(await world.api('GET', '/sessions', undefined, headers)).toMatchObject({ status: 200 });
  await keys.getByRole('button', { name: 'Done' }).click();
  await keys.getByText(/^sl_default\./).waitFor({ state: 'hidden' });
  await keys.getByRole('button', { name: 'Revoke nightly report' }).click();
  expect(await world.api('GET', '/sessions', undefined, headers)).toMatchObject({ status: 200 });
  await keys.getByRole('button', { name: 'Confirm revoking nightly report' }).click();
  await keys.getByText(/^revoked/).waitFor();
  expect(await world.api('GET', '/sessions', undefined, headers)).toMatchObject({ status: 401 });
});

test('a session is deleted after a second confirmation, and is then on no list', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Sessions' }).click();
  const list = page.getByRole('region', { name: 'Sessions' });
  await list.getByRole('link', { name: /a good one/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const asked = page.getByRole('region', { name: 'Delete' });
  await asked.getByText('“a good one”').waitFor();
  const sessionId = page.url().split('/').at(-1);
  expect(await world.api('GET', `/sessions/${sessionId}`)).toMatchObject({ status: 200 });
  await asked.getByRole('button', { name: 'Delete permanently' }).click();
  await list.getByRole('link', { name: /revoked key/ }).waitFor();
  await list.getByRole('link', { name: /a good one/ }).waitFor({ state: 'hidden' });
  expect(await world.api('GET', `/sessions/${sessionId}`)).toMatchObject({ status: 404 });
});

test("a person's data is deleted after their name is typed again, and the page tells how far that is", async () => {
  const user = 'key:default.nobody';
  const { page } = tab;
  await page.getByRole('link', { name: 'Settings' }).click();
  const people = page.getByRole('region', { name: 'People' });
  await people.getByLabel('Person, as sessions name their user').fill(user);
  await people.getByRole('button', { name: 'Show deletion' }).click();
  await people
    .getByRole('alert')
    .getByText(/No such deletion/)
    .waitFor();
  await people.getByRole('button', { name: 'Delete data' }).click();
  const asked = people.getByRole('region', { name: 'Confirm deletion' });
  await asked.getByText(user).waitFor();
  const confirm = asked.getByRole('button', { name: 'Delete permanently' });
  expect(await confirm.isDisabled()).toBe(true);
  await asked.getByLabel('Type the name again').fill('key:default.somebody');
  expect(await confirm.isDisabled()).toBe(true);
  await asked.getByLabel('Type the name again').fill(user);
  expect(await world.api('GET', `/people/${encodeURIComponent(user)}`)).toMatchObject({ status: 404 });
  await confirm.click();
  await people.getByRole('status').getByText(`${user}: Deleting.`).waitFor();
  expect(await world.api('GET', `/people/${encodeURIComponent(user)}`)).toMatchObject({
    status: 200,
    body: { user, state: 'erasing' },
  });
  expect(await barriers(page)).toEqual([]);
});

test('the holder of a key sees the budget, but neither the form that sets it nor keys', async () => {
  const { key } = (await world.api('POST', '/keys', { name: 'robot' })).body;
  await using other = await it.browser.tab();
  await signIn(other.page, at(`/settings#token=${key}`));
  await other.page.getByRole('region', { name: 'Budget' }).waitFor();
  await other.page.getByText('Only tenant administrators can manage keys.').waitFor();
  expect(await other.page.getByRole('button', { name: 'Save limits' }).count()).toBe(0);
  expect(await other.page.getByRole('region', { name: 'People' }).count()).toBe(0);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the pages meet WCAG AA: %s, %i px wide', async (colorScheme, width) => {
  const { page } = tab;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(at());
  await page.getByRole('group', { name: 'Failing' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('link', { name: 'Now' }).click();
  await page.getByRole('region', { name: 'Dead deliveries' }).waitFor();
  await page.getByRole('region', { name: 'Budget' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('region', { name: 'API keys' }).getByRole('table').waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
});

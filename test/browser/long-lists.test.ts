/**
 * Long lists in a real browser: only what is on the screen is drawn, and the far end can be reached. The listed items
 * are simulated API responses.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import type { StepInfo } from '../../shared/contract/steps.ts';
import type { Tab } from '../support/browser.ts';
import { type ConsoleWorld, consoleWorld } from '../support/console-world.ts';
import type { Embedded } from '../support/embedded.ts';
import { sayText } from '../support/rule-model.ts';

let it: ConsoleWorld;
let world: Embedded;
let tab: Tab;
let id: string;

beforeAll(async () => {
  it = await consoleWorld(() => sayText('Done.'));
  ({ world, tab } = it);
  id = await world.start('hello');
  await world.atRest(id);
  await it.signIn();
  await tab.page.getByRole('link', { name: /hello/ }).waitFor();
}, 120_000);
afterAll(() => it?.[Symbol.asyncDispose]());

const at = (path?: string) => it.at(path);

/** Rows that fit on a screen, and those above and below that are drawn in advance. */
const MOST_DRAWN = 60;

/**
 * Scrolls a list to its end again and again, since it grows while it is read, until a text is in it. It must never have
 * many rows.
 */
async function scrollUntil(name: string, wanted: string, end: 'top' | 'bottom'): Promise<void> {
  const list = tab.page.getByRole('region', { name });
  const goal = list.getByText(wanted, { exact: true });
  await expect
    .poll(
      async () => {
        expect(await list.locator('li, tbody tr').count()).toBeLessThan(MOST_DRAWN);
        await list.evaluate((place: { scrollTop: number; scrollHeight: number }, to) => {
          place.scrollTop = to === 'top' ? 0 : place.scrollHeight;
        }, end);
        return goal.isVisible();
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
}

const stepOf = (n: number): StepInfo => ({
  ...{ runId: `${id}-0`, step: n, slots: [2 * n, 2 * n + 1], kind: 'model', model: 'm', stop: 'end_turn' },
  ...{ times: { modelMs: 1_000 + n, toolsMs: 200 }, verdicts: [], calls: [], text: `Says ${n}.` },
  costUsd: 0.01,
});

test('5,000 steps: only those on the screen are drawn, down to the first', async () => {
  const { page } = tab;
  await page.route(/\/steps\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('from') ?? 5_001);
    const steps = Array.from({ length: 500 }, (_, i) => stepOf(from - 1 - i));
    return route.fulfill({
      json: { steps, costUsd: 50, ...(from > 501 && { next: String(from - 500) }) },
    });
  });
  await page.goto(at(`/sessions/${id}`));
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByText('Step 5000', { exact: true }).waitFor();
  await steps.getByText('$50.00 so far').waitFor();
  await scrollUntil('Steps', 'Step 1', 'bottom');
  await steps.getByText('$0.01 so far').first().waitFor();
});

test('a conversation of as many steps begins at its end, and only the screen is drawn', async () => {
  const { page } = tab;
  const messages: SnapshotMessage[] = Array.from({ length: 10_000 }, (_, i) => ({
    ...{ id: `m${i}`, role: i % 2 === 0 ? 'user' : 'assistant', content: `Word ${i}` },
  })) as SnapshotMessage[];
  await page.route(/\/messages\?/, (route) => route.fulfill({ json: { messages } }));
  await page.goto(at(`/sessions/${id}`));
  await page.getByRole('region', { name: 'Conversation' }).getByText('Word 9999', { exact: true }).waitFor();
  await scrollUntil('Conversation', 'Word 0', 'top');
});

test('10,000 sessions: only the screen is drawn, page after page', async () => {
  const { page } = tab;
  const row = (n: number): SessionRow => ({
    ...{
      sessionId: `s${n}`,
      agent: 'worker',
      state: 'completed',
      title: `Order ${n}`,
      source: 'http',
      steps: 1,
    },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', movedAt: '2026-01-01T00:00:00.000Z' },
    totals: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
  });
  await page.route(/\/sessions\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    // The page requests failed sessions in parallel.
    if (query.has('state')) return route.fulfill({ json: { sessions: [] } });
    const from = Number(query.get('cursor') ?? 0);
    const sessions = Array.from({ length: 500 }, (_, i) => row(from + i));
    return route.fulfill({ json: { sessions, ...(from < 9_500 && { next: String(from + 500) }) } });
  });
  await page.goto(at());
  await page.getByRole('region', { name: 'Sessions' }).getByText('Order 0', { exact: true }).waitFor();
  await scrollUntil('Sessions', 'Order 9999', 'bottom');
});

test('nothing on the pages violates their own policy', () => {
  expect(tab.complaints).toEqual([]);
});

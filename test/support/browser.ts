/** A real browser on the console of an embedded stack. It comes from npm like everything else. */

import { AxeBuilder } from '@axe-core/playwright';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';

export interface ConsoleBrowser extends AsyncDisposable {
  /** Opens a tab in a fresh context, with the complaints of its console. */
  tab(options?: Parameters<Browser['newContext']>[0]): Promise<Tab>;
}

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The errors that the browser reported, policy violations among them. */
  readonly complaints: readonly string[];
}

/** All files of a process use one browser, each with tabs of its own. It ends with the process, whose pipe it listens to. */
let launched: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // The package's own arguments are not used: they switch off restrictions on pages, and one process ends with its
    // first tab. Without a GPU the pages are drawn directly, which takes less CPU than an emulated one.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu'],
    headless: true,
  });
}

export async function consoleBrowser(): Promise<ConsoleBrowser> {
  launched ??= launch();
  const browser = await launched;
  const open = new Set<BrowserContext>();
  return {
    async tab(options) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      open.add(context);
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      const close = () => {
        open.delete(context);
        return context.close();
      };
      return { page, context, complaints, [Symbol.asyncDispose]: close };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((context) => context.close()));
    },
  };
}

/** Opens the console by a link with a token, and agrees to use it. */
export async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
}

/** The findings of axe against WCAG 2.2 A and AA: the rule, and the place. */
export async function barriers(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  // Without this it puts the results of frames together in another tab; these pages have no frames.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await axe.withTags(tags).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
}

/**
 * The elements that are wider than the screen, so that their ends are hidden. Elements inside a part that scrolls
 * sideways on purpose do not count.
 */
export const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('main, main *')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'hidden'
      && !one.closest('pre, .wide, .block, .message table') && getComputedStyle(one).display !== 'inline' && !(one instanceof SVGElement))
    .map((one) => one.tagName.toLowerCase() + '.' + one.className)`);

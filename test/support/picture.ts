import type { Locator } from 'playwright-core';

/** Writes a picture of the docs, if `npm run pictures` runs the test. */
export async function picture(of: Locator, name: string): Promise<void> {
  if (process.env.STEPLOOP_PICTURES !== undefined) await of.screenshot({ path: `docs/images/${name}.png` });
}

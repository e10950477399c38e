/** Messages of `npm start` while it starts. */

import { seconds } from './amounts.ts';
import { paint } from './paint.ts';

export const say = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

/** Runs something, then prints how long it took. */
export async function timed<T>(
  what: string,
  work: () => Promise<T>,
  detail: (value: T) => string,
): Promise<T> {
  const began = performance.now();
  const value = await work();
  const took = paint('dim', seconds(performance.now() - began));
  say(`  ${paint('green', '✓')} ${what.padEnd(9)} ${detail(value)} ${took}`);
  return value;
}

/** Formats numbers for people. */

import type { Totals, Usage } from '../shared/contract/session.ts';

export const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.01 ? 5 : usd < 1 ? 4 : 2)}`;

/** Prefix for figures that are partly estimated. */
export const about = (estimated: true | undefined): string => (estimated ? 'about ' : '');

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

/** Input and output tokens, with cached ones listed separately. */
export const tokens = ({ input, output, cacheRead, cacheWrite }: Usage): string => {
  const cached =
    cacheRead + cacheWrite > 0 ? ` (+${(cacheRead + cacheWrite).toLocaleString('en-US')} cached)` : '';
  return `${input.toLocaleString('en-US')}${cached} tokens in, ${output.toLocaleString('en-US')} out`;
};

/** The tokens that budgets count: input and output. */
export const totalTokens = ({ input, output }: Totals): number => input + output;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

import type { Json } from './json.ts';

/** Tokens of one call that no server can mean: a hundred times the longest context there is. */
const TOO_MANY = 100_000_000;

/** Reads a reply's usage, and remembers what of it could not be used: that is never added to anything (A9). */
export interface UsageReader {
  /** The tokens at `key`; undefined when there is nothing, or no number of tokens. */
  tokensAt(usage: Json, key: string): number | undefined;
  /** What was wrong with the usage of the reply, for a log; undefined when nothing was. */
  complaint(): string | undefined;
}

export function usageReader(): UsageReader {
  let told = false;
  const refused = new Set<string>();
  return {
    tokensAt(usage, key) {
      const found = usage[key];
      if (found === undefined || found === null) return undefined;
      told = true;
      if (Number.isSafeInteger(found) && Number(found) >= 0 && Number(found) < TOO_MANY) return Number(found);
      refused.add(key);
      return undefined;
    },
    complaint() {
      if (refused.size > 0) return `told a usage that is no number of tokens: ${[...refused].join(', ')}`;
      return told ? undefined : 'told no usage';
    },
  };
}

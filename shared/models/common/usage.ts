import { estimateTokens } from '../../agent/context/estimate.ts';
import type { ModelRequest } from '../../agent/ports/provider.ts';
import type { Used } from '../../agent/session/reply.ts';
import type { Usage } from '../../contract/session.ts';
import type { Json } from './json.ts';

/** More tokens than one call can have: a hundred times the longest context there is. */
const TOO_MANY = 100_000_000;

/** Reads a reply's usage, and remembers the counts that it could not use: they count as not reported. */
export interface UsageReader {
  /** The tokens at `key`; undefined if there is nothing, or no number of tokens. */
  tokensAt(usage: Json, key: string): number | undefined;
  /** The counts that could not be used, for a log; undefined if there were none. */
  complaint(): string | undefined;
}

export function usageReader(): UsageReader {
  const refused = new Set<string>();
  return {
    tokensAt(usage, key) {
      const found = usage[key];
      if (found === undefined || found === null) return undefined;
      if (Number.isSafeInteger(found) && Number(found) >= 0 && Number(found) < TOO_MANY) return Number(found);
      refused.add(key);
      return undefined;
    },
    complaint: () => (refused.size > 0 ? [...refused].join(', ') : undefined),
  };
}

/**
 * The usage of a call: as the server reported it, and estimated where it did not, because budgets would otherwise miss
 * it. No request and no reply is empty, so a count of 0 counts as missing (some servers leave out a prompt that they
 * had in their cache).
 *
 * @param told without unknown counts
 * @param written characters that the model has written
 */
export function usedOf(told: Partial<Usage>, request: ModelRequest, written: number): Used {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, webSearches = 0 } = told;
  const noInput = input + cacheRead + cacheWrite === 0;
  const noOutput = output === 0 && written > 0;
  const usage = {
    input: noInput ? estimateTokens(request) : input,
    output: noOutput ? Math.ceil(written / 4) : output,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h > 0 && { cacheWrite1h: Math.min(cacheWrite1h, cacheWrite) }),
    ...(webSearches > 0 && { webSearches }),
  };
  return noInput || noOutput ? { usage, estimated: true } : { usage };
}

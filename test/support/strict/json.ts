/** Rules of the raw body, for every API. */

import type { Rule } from './rule.ts';

/**
 * The position of an escaped high surrogate without its low one after it, or of a lone low one; -1 if there is none. A
 * backslash that is itself escaped begins no escape.
 */
export function loneSurrogateAt(raw: string): number {
  // Most bodies have no such escape at all.
  if (!/\\ud[89a-f]/i.test(raw)) return -1;
  const escapes = /\\(?:u([0-9a-f]{4})|.)/gis;
  let high = -1;
  let end = -1;
  for (const { index, 0: text, 1: hex } of raw.matchAll(escapes)) {
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16);
    const isLow = code >= 0xdc00 && code <= 0xdfff;
    const follows = high >= 0 && index === end;
    if (high >= 0 && !(follows && isLow)) return high;
    if (isLow && !follows) return index;
    high = code >= 0xd800 && code <= 0xdbff ? index : -1;
    end = index + text.length;
  }
  return high;
}

export const messagesJsonRules: readonly Rule<unknown>[] = [
  {
    name: 'the body has no lone surrogate',
    source: 'https://github.com/anthropics/claude-code/issues/69927',
    check({ raw }) {
      const at = loneSurrogateAt(raw);
      if (at < 0) return undefined;
      return `The request body is not valid JSON: no low surrogate in string: line 1 column ${at + 1} (char ${at})`;
    },
  },
  {
    name: 'the body is at most 32 MB (Bedrock: 20 MB)',
    source: 'https://platform.claude.com/docs/en/api/errors#request-size-limits',
    check({ raw, dialect }) {
      const most = (dialect === 'bedrock' ? 20 : 32) * 1024 * 1024;
      // A character is at most three bytes, so short bodies need no counting.
      if (raw.length * 3 <= most || Buffer.byteLength(raw) <= most) return undefined;
      return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' };
    },
  },
];

export const chatJsonRules: readonly Rule<unknown>[] = [
  {
    name: 'the body has no lone surrogate',
    source: 'https://github.com/mastra-ai/mastra/issues/15573',
    check: ({ raw }) =>
      loneSurrogateAt(raw) < 0
        ? undefined
        : "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  },
];

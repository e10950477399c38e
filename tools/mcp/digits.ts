import { mapBigints, parseExactly } from '../../shared/agent/plain/digits.ts';

/** JSON that is serialized as it is: ECMAScript's `JSON.rawJSON`, in Node from 21. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (json: string) => unknown };

/** Arguments in which each integer keeps all of its digits. */
export const withDigits = (input: unknown): unknown =>
  mapBigints(input, (integer) => rawJSON(String(integer)));

/**
 * A server's message, in whose result integers too large for a number become text with their digits. Requests and tool
 * lists stay as they came: a schema in one may have such an integer as its bound.
 */
export function messageWithDigits(text: string): string {
  if (!MAY_BE_LARGE.test(text)) return text;
  try {
    const message: unknown = parseExactly(text);
    const { result } = message as { readonly result?: object };
    return result === undefined || 'tools' in result ? text : JSON.stringify({ ...JSON.parse(text), result });
  } catch {
    return text;
  }
}

const MAY_BE_LARGE = /\d{16}/;

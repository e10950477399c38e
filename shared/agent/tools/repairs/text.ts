import { isTooDeep } from '../../plain/depth.ts';
import { parseExactly } from '../../plain/digits.ts';
import { parseLeniently } from '../../plain/lenient-json.ts';

/**
 * The value of a text read as JSON, also with small faults if it is an object or array; undefined if it is not JSON, or too deep
 * to process.
 */
export function textAsJson(text: string): unknown {
  const value = parsed(text);
  return isTooDeep(value) ? undefined : value;
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return /^\s*(?:[{[]|```)/.test(text) ? parseLeniently(text) : undefined;
  }
}

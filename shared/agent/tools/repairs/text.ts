import { isTooDeep } from '../../plain/depth.ts';
import { parseExactly } from '../../plain/digits.ts';
import { parseLeniently } from '../../plain/lenient-json.ts';

/** The value that a text is as JSON, also with small faults if it is an object or array; undefined when it is none, or too deep to be worked on. */
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

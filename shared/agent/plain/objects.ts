import { isTooDeep } from './depth.ts';
import { isRecord } from './merge.ts';

/**
 * The outermost JSON objects in a text, also in a code fence or beside other words. Text that only looks like an object is
 * skipped. One pass over any text.
 */
export function objectsIn(text: string): Readonly<Record<string, unknown>>[] {
  const whole = objectOf(text);
  if (whole) return [whole];
  const found: Readonly<Record<string, unknown>>[] = [];
  let start = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    // The words around an object have quotes and braces of their own.
    if (depth === 0 && !beginsAt(text, at)) continue;
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') {
      if (depth === 0) start = at;
      depth++;
    } else if (char === '}' && --depth === 0) {
      const object = objectOf(text.slice(start, at + 1));
      if (object) found.push(object);
    }
  }
  return found;
}

const begins = /\{\s*["}]/y;

/** Whether an object may begin here: with a key, or empty. */
function beginsAt(text: string, at: number): boolean {
  begins.lastIndex = at;
  return begins.test(text);
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !isTooDeep(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

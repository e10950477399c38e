import { parseExactly } from '../../agent/plain/digits.ts';

/** Reads JSON without trusting its shape: other servers speak this API too. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at `key`; an empty one if there is none. */
export function objectAt(value: Json, key: string): Json {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** The string at `key`; undefined if there is none, or an empty one. */
export function stringAt(value: Json, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The parsed text; integers that no number can hold stay their digits (`plain/digits.ts`). Undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

import type { Work } from './work.ts';

/**
 * A text that is the same for equal JSON values and for no others, whatever the order of their keys. Sets of these make
 * `uniqueItems` and `enum` linear.
 */
export function canonical(value: unknown, work: Work): string {
  work.spend(1);
  if (typeof value === 'string') {
    work.spend(value.length >> 6);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((inner) => canonical(inner, work)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${canonical(key, work)}:${canonical(inner, work)}`).join(',')}}`;
}

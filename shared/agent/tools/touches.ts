import type { ToolCall } from '../session/slots.ts';
import { readInput } from './reading.ts';
import type { Tool } from './tool.ts';

/** More than these are not compared one by one: nobody says what such a call touches. */
const MOST = 100;

/**
 * What a call reads or changes, as its tool says of its input. Undefined when nobody knows: the tool does not say, or what it will be run
 * with is not known. Pure as far as the tool is; never throws.
 */
export function touchedBy(call: ToolCall, tool: Tool | undefined): readonly string[] | undefined {
  if (!tool?.touches) return undefined;
  const reading = readInput(call, tool);
  if (reading.kind !== 'read') return undefined;
  try {
    const touched: unknown = tool.touches(reading.value);
    return isNames(touched) && touched.length <= MOST ? touched : undefined;
  } catch {
    return undefined;
  }
}

const isNames = (touched: unknown): touched is readonly string[] =>
  Array.isArray(touched) && touched.every((name) => typeof name === 'string');

/** Whether two calls touch the same; what is known of nothing may touch everything. */
export const shareAny = (some: readonly string[] | undefined, others: readonly string[] | undefined) =>
  !some || !others || some.some((one) => others.some((other) => covers(one, other)));

/**
 * Whether two paths may be about one thing: the same path, or one inside the other, as a listing shows its files.
 * Paths that cannot be told apart, one absolute and one not, or with `..`, may be the same.
 */
export function covers(one: string, other: string): boolean {
  if (one.startsWith('/') !== other.startsWith('/') || `${one}/${other}`.includes('..')) return true;
  const [a, b] = [plain(one), plain(other)];
  return a === b || b.startsWith(`${a}/`) || a.startsWith(`${b}/`) || a === '' || b === '';
}

const plain = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

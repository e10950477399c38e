import type { ToolCall } from '../session/slots.ts';
import { readInput } from './reading.ts';
import type { Tool } from './tool.ts';

/** More names than these, or longer ones, are not compared one by one: what such a call touches counts as unknown. */
const MOST = { names: 20, chars: 1_000 };

/** A parsed path, computed once: calls are compared pairwise. */
interface ParsedPath {
  readonly rooted: boolean;
  /** Whether it leads up, to an unknown place. */
  readonly unsure: boolean;
  /** The path without redundant parts, with `/` at its end; empty for everything. */
  readonly plain: string;
}

/**
 * The things that a call reads or changes, as its tool says for its input. Undefined if unknown: the tool does not say, or its
 * arguments are not known. Pure as far as the tool is; never throws.
 */
export function touchedBy(call: ToolCall, tool: Tool | undefined): readonly ParsedPath[] | undefined {
  if (!tool?.touches) return undefined;
  const reading = readInput(call, tool);
  if (reading.kind !== 'read') return undefined;
  try {
    const touched: unknown = tool.touches(reading.value);
    return isNames(touched) ? touched.map(placeOf) : undefined;
  } catch {
    return undefined;
  }
}

const isNames = (touched: unknown): touched is readonly string[] =>
  Array.isArray(touched) &&
  touched.length <= MOST.names &&
  touched.every((name) => typeof name === 'string' && name.length <= MOST.chars);

/** Whether two calls touch the same thing; an unknown call may touch everything. */
export const shareAny = (
  some: readonly ParsedPath[] | undefined,
  others: readonly ParsedPath[] | undefined,
): boolean => !some || !others || some.some((one) => others.some((other) => meet(one, other)));

/**
 * Whether two paths may overlap: the same path, or one inside the other, as a listing shows its files. Paths that cannot be
 * compared, one absolute and one not, or with `..`, may be the same.
 */
export const covers = (one: string, other: string): boolean => meet(placeOf(one), placeOf(other));

const meet = (one: ParsedPath, other: ParsedPath): boolean =>
  one.rooted !== other.rooted ||
  one.unsure ||
  other.unsure ||
  one.plain.startsWith(other.plain) ||
  other.plain.startsWith(one.plain);

function placeOf(path: string): ParsedPath {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const plain = parts.map((part) => `${part}/`).join('');
  return { rooted: path.startsWith('/'), unsure: path.includes('..'), plain };
}

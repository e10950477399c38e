/**
 * Levels of arrays and objects that are worked on. `JSON.stringify` overflows at a few thousand, and code that recurses
 * over a value sooner; protobuf, which some model servers are made of, takes 100.
 */
export const MAX_DEPTH = 100;

/** Whether a value is nested deeper than {@link MAX_DEPTH}. Looks level by level, so no depth is too much for it. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * The deepest nesting of arrays and objects that is handled. `JSON.stringify` overflows at a few thousand levels, and recursive
 * code sooner; protobuf, which some model servers use, allows 100.
 */
export const MAX_DEPTH = 100;

/** Whether a value is nested deeper than {@link MAX_DEPTH}. It walks level by level, so no depth overflows it. */
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

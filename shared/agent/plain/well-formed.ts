/**
 * The same value with U+FFFD in place of each lone surrogate, in texts and in keys. JSON writes a lone surrogate as an escape
 * that model servers refuse ("no low surrogate in string"), together with every later request that repeats it. A value without
 * one is returned as the same object. The value must not be nested deeper than `MAX_DEPTH`.
 */
export function wellFormed<Value>(value: Value): Value;
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map((item) => wellFormed(item));
    return items.every((item, i) => Object.is(item, value[i])) ? value : items;
  }
  if (!isPlain(value)) return value;
  const before = Object.entries(value);
  const after = before.map(([key, inner]) => [wellFormed(key), wellFormed(inner)] as const);
  const same = after.every(([key, inner], i) => key === before[i]?.[0] && Object.is(inner, before[i]?.[1]));
  return same ? value : Object.fromEntries(after);
}

/** A JSON object. Instances of classes are left as they are. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether `value` is a plain object, as used in configuration. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * `over` merged into `under`, object by object. Anything else, including lists, replaces the value below. Undefined values do not
 * count as set.
 */
export function merge(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isRecord(under) || !isRecord(over)) return over;
  const keys = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(own(under, key), own(over, key))]));
}

/** Freezes configuration and everything in it. Instances of classes, functions and schemas are left alone. */
export function freezeDeep<T>(value: T): T {
  const plain =
    Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
  if (!plain || Object.isFrozen(value)) return value;
  for (const part of Object.values(value as object)) freezeDeep(part);
  return Object.freeze(value);
}

/** A record's own value under a key that comes from outside. Plain indexing finds `constructor` and the like in every object. */
export const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

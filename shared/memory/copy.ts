/** A copy that shares nothing with `value`: what any store would give back, so keys without a value are gone. */
export function copy<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

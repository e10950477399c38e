/** Values by key, up to a limit. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/**
 * Remembers values up to `most`; beyond that, the least recently used go first. Written by hand: a `Map` keeps its order, and
 * every library for this is larger than this code.
 *
 * @param sizeOf how much of `most` a value takes, constant over time; by default each counts as one. A value larger than `most`
 * is not remembered
 */
export function recent<Value>(most: number, sizeOf: (value: Value) => number = () => 1): Recent<Value> {
  const kept = new Map<string, Value>();
  let size = 0;
  const take = (key: string): Value | undefined => {
    const value = kept.get(key);
    if (value !== undefined && kept.delete(key)) size -= sizeOf(value);
    return value;
  };
  const put = (key: string, value: Value): void => {
    kept.set(key, value);
    size += sizeOf(value);
  };
  return {
    get(key) {
      const value = take(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set(key, value) {
      take(key);
      put(key, value);
      for (const oldest of kept.keys()) {
        if (size <= most) return;
        take(oldest);
      }
    },
    delete: take,
  };
}

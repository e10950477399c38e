/** Values by key, as many as there is room for. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/**
 * Remembers values until there is more than `most` of them: then those go first that were asked for longest ago. By hand, since a
 * `Map` keeps its order, and each library for this is larger than what is here.
 *
 * @param sizeOf how much of `most` a value takes, the same at any time: by default they are counted. What is larger than all of the
 * room is not remembered
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

/**
 * Computes something from an immutable value once: a second call with the same object returns the same result. The result lives
 * as long as the object.
 */
export function memoize<Of extends object, Made extends object | string>(
  make: (of: Of) => Made,
): (of: Of) => Made {
  const made = new WeakMap<Of, Made>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const fresh = make(of);
    made.set(of, fresh);
    return fresh;
  };
}

/** The JSON of an immutable value, serialized once. */
export const jsonOf: (value: object) => string = memoize((value: object) => JSON.stringify(value));

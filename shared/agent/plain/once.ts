/**
 * What is made of a value that nobody changes, made once: whoever asks again with the same object gets the same. It is kept as
 * long as the object lives, and no longer.
 */
export function once<Of extends object, Made extends object | string>(
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

/** A value that nobody changes as JSON, written out once. */
export const jsonOf: (value: object) => string = once((value: object) => JSON.stringify(value));

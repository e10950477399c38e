/** What hooks read: a value that changes while somebody looks at it, and that costs nothing while nobody does. */

/** A value with those who look at it, as `useSyncExternalStore` takes it. */
export interface Store<T> {
  readonly subscribe: (onChange: () => void) => () => void;
  readonly get: () => T;
  /** What it is before anybody looks, and on a server. */
  readonly first: T;
}

/**
 * A store whose value is kept by `start` from when the first one looks until the last has left. Whoever leaves and comes back at once, as
 * the effects of a component in StrictMode do, has not left.
 *
 * @param start sets the value as it changes; answers what ends that
 */
export function store<T>(first: T, start: (set: (value: T) => void) => () => void): Store<T> {
  const looking = new Set<() => void>();
  let value = first;
  const set = (next: T) => {
    value = next;
    for (const onChange of looking) onChange();
  };
  const hold = whileHeld(() => {
    let isOver = false;
    const stop = start((next) => {
      if (!isOver) set(next);
    });
    return () => {
      isOver = true;
      stop();
      value = first;
    };
  });
  return {
    subscribe(onChange) {
      // One of its own for each: React may hand in the same function twice.
      const told = () => onChange();
      looking.add(told);
      const letGo = hold();
      return () => {
        looking.delete(told);
        letGo();
      };
    },
    get: () => value,
    first,
  };
}

/** Runs `start` while somebody holds it. It is let go a moment after the last one has let go, in which another may come. */
export function whileHeld(start: () => () => void): () => () => void {
  let holders = 0;
  let stop: (() => void) | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(leaving);
    holders += 1;
    stop ??= start();
    return () => {
      holders -= 1;
      if (holders > 0) return;
      leaving = setTimeout(() => {
        stop?.();
        stop = undefined;
      }, 0);
    };
  };
}

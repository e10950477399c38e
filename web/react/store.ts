/** The store behind the hooks: its value changes while it has subscribers, and it costs nothing without them. */

/** A value with its subscribers, in the form that `useSyncExternalStore` takes. */
export interface Store<T> {
  readonly subscribe: (onChange: () => void) => () => void;
  readonly get: () => T;
  /** The value before the first subscriber, and on a server. */
  readonly first: T;
}

/**
 * A store whose value `start` maintains from the first subscriber until the last one has left. A subscriber that leaves
 * and returns at once, like the effects of a component in StrictMode, counts as staying.
 *
 * @param start sets the value as it changes; returns a function that stops it
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
      // A new function for each: React may pass the same function twice.
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

/** Runs `start` while it has a holder. It stops a moment after the last one has left, in case another comes. */
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

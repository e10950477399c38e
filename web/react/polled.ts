/** A value that is polled, because the server does not report its changes. */

import { type Store, store } from './store.ts';

/** The last reading. */
export interface Read<T> {
  /** Absent until the first reading. It stays if a later reading fails. */
  readonly data: T | undefined;
  /** Why the last reading failed; absent if it succeeded. */
  readonly error: Error | undefined;
}

/** A polled value that can also be read at once. */
export interface Polled<T> extends Store<Read<T>> {
  /** Reads it again; does nothing if it has no subscriber. Resolves when it is read; never rejects. */
  readonly refresh: () => Promise<void>;
}

/**
 * Reads while there are subscribers, and not while the page is hidden.
 *
 * @param everyMs ms from the end of a reading until the next
 */
export function polled<T>(read: () => Promise<T>, everyMs: () => number): Polled<T> {
  let refresh = async () => {};
  const kept = store<Read<T>>({ data: undefined, error: undefined }, (set) => {
    let next: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let reading: Promise<void> | undefined;
    /** Something has changed since the current reading began. */
    let isStale = false;
    const readOnce = async () => {
      try {
        set({ data: await read(), error: undefined });
      } catch (error) {
        set({ data: kept.get().data, error: error instanceof Error ? error : new Error(String(error)) });
      }
    };
    const readAll = async () => {
      do {
        isStale = false;
        await readOnce();
      } while (isStale && !isOver);
      reading = undefined;
      if (!isOver) next = setTimeout(look, everyMs());
    };
    const now = () => {
      clearTimeout(next);
      isStale = true;
      reading ??= readAll();
      return reading;
    };
    const look = () => {
      if (isHidden()) next = setTimeout(look, everyMs());
      else void now();
    };
    refresh = now;
    void now();
    return () => {
      isOver = true;
      clearTimeout(next);
      refresh = async () => {};
    };
  });
  return { ...kept, refresh: () => refresh() };
}

/** Whether the page is hidden. Without a document, it counts as visible. */
const isHidden = (): boolean =>
  (globalThis as { document?: { visibilityState?: string } }).document?.visibilityState === 'hidden';

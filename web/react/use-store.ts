import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** The value of a store, for as long as the component is there. On a server, and until the page has come to life, the first one. */
export const useStore = <T>({ subscribe, get, first }: Store<T>): T =>
  useSyncExternalStore(subscribe, get, () => first);

/** A store that keeps its first value. */
export const still = <T>(first: T): Store<T> => ({ subscribe: () => () => {}, get: () => first, first });

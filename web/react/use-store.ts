import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** The value of a store while the component is mounted. On a server, and until hydration, the first value. */
export const useStore = <T>({ subscribe, get, first }: Store<T>): T =>
  useSyncExternalStore(subscribe, get, () => first);

/** A store that keeps its first value. */
export const still = <T>(first: T): Store<T> => ({ subscribe: () => () => {}, get: () => first, first });

import { readOnce } from '../plain/read-once.ts';

/** Loads the code for calls that are answered later, once per process. Such calls are rare. */
export const readLater = readOnce(() => import('./deferred-results.ts'));

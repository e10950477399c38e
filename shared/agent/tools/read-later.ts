import { readOnce } from '../plain/read-once.ts';

/** Reads what calls need that are answered later, once in a process. Few are. */
export const readLater = readOnce(() => import('./lazy/later.ts'));

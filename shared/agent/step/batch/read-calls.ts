import { readOnce } from '../../plain/read-once.ts';

/** Loads the code that runs calls when a reply first asks for one, so that no cold start waits for it. */
export const readCalls = readOnce(() => import('./calls.ts'));

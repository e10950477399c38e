import { readOnce } from '../../plain/read-once.ts';

/** Reads what runs calls, once in a process: when the first reply has asked for one, so that no cold start waits for it. */
export const readCalls = readOnce(() => import('./calls.ts'));

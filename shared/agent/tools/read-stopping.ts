import { readOnce } from '../plain/read-once.ts';

/** Loads the code that stops what calls have begun outside, once per process. Few tools can. */
export const readStoppingCalls = readOnce(() => import('./stop-call.ts'));

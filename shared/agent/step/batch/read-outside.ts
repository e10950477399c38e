import { readOnce } from '../../plain/read-once.ts';

/** Loads the code that stops what calls of a batch have begun outside, once per process. Few tools can stop it. */
export const readOutside = readOnce(() => import('./stop-outside.ts'));

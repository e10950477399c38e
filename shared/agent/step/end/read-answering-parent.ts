import { readOnce } from '../../plain/read-once.ts';

/** Loads the code that answers parents, once per process. Few sessions work for another one. */
export const readAnsweringParent = readOnce(() => import('./answer-parent.ts'));

/** Loads the code that tells parents of progress, once per process. */
export const readTellingProgress = readOnce(() => import('./tell-progress.ts'));

/** Loads the code that stops sessions in the background, once per process. */
export const readStopping = readOnce(() => import('./stop-background.ts'));

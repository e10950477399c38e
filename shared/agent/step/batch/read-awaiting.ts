import { readOnce } from '../../plain/read-once.ts';

/** Loads the code for calls that are answered later or ask a person. Few batches have one. */
export const readAwaiting = readOnce(() => import('./awaiting.ts'));

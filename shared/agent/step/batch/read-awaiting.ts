import { readOnce } from '../../plain/read-once.ts';

/** Reads what deals with calls that are answered later, or ask a person, once in a process. Few batches have one. */
export const readAwaiting = readOnce(() => import('./awaiting.ts'));

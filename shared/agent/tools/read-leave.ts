import { readOnce } from '../plain/read-once.ts';

/** Loads the evaluation of policies and grants, once per process. Most agents have neither. */
export const readLeave = readOnce(() => import('./permission.ts'));

import { readOnce } from '../plain/read-once.ts';

/** Reads what decides by policies and grants, once in a process. Most agents have neither. */
export const readLeave = readOnce(() => import('./lazy/leave.ts'));

import { readOnce } from '../../plain/read-once.ts';

/** Loads the code that begins and stops other sessions, once per process. Few agents have others. */
export const readChildren = readOnce(() => import('./children.ts'));

/** Loads the code that gives a session to another agent, once per process. */
export const readHandingOff = readOnce(() => import('./hand-off.ts'));

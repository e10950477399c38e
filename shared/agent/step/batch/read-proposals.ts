import { readOnce } from '../../plain/read-once.ts';

/** Loads the code for proposed changes: few sessions are in plan mode. */
export const readProposals = readOnce(() => import('./proposals.ts'));

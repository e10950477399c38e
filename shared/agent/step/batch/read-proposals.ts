import { readOnce } from '../../plain/read-once.ts';

/** Reads what is about proposed changes, once in a process: few sessions are in plan mode. */
export const readProposals = readOnce(() => import('./proposals.ts'));

export type Proposals = Awaited<ReturnType<typeof readProposals>>;

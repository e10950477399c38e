/**
 * Plan mode: what a batch proposes, how all of it is put to people, and what comes of it (docs/plan-mode.md). Read by the first
 * batch of a process that proposes something.
 */

export { draftAfter, withProposed } from './draft-changes.ts';
export { decidedChange, noteOf, upToQueued } from './make-changes.ts';
export { putToPeople } from './put-changes.ts';

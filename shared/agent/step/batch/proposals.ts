/**
 * Plan mode: what a batch proposes, how it is put to people, and what becomes of it (docs/plan-mode.md). Loaded by the first
 * batch of a process that proposes something.
 */

export { draftAfter, withProposed } from './draft-changes.ts';
export { decidedChange, noteOf, upToQueued } from './make-changes.ts';
export { putToPeople } from './put-changes.ts';

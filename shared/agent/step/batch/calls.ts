/** Runs the calls of a reply and those of the system: at once, and when a batch that they have opened is closed. */

export { closeBatch } from './close-batch.ts';
export { runReply } from './run-tools.ts';
export { makeCalls } from './system-call.ts';

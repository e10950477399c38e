/** What runs the calls of a reply: at once, and when the batch that they have opened is closed. */

export { closeBatch } from './close-batch.ts';
export { runTools } from './run-tools.ts';

/** Sessions of calls: beginning them, and stopping those that have not answered. */

export { beginChild } from './delegate.ts';
export { withoutOrphans } from './stop-children.ts';

/** Sessions of calls: beginning them, asking people what they ask, having them wrap up, and stopping those that have not answered. */

export { asksBelow, asksNow, decidedOf } from './asks.ts';
export { beginChild } from './delegate.ts';
export { isWon } from './race.ts';
export { sendToChild } from './send-to-child.ts';
export { withoutOrphans } from './stop-children.ts';
export { passOnWrapUp } from './wrap-up-below.ts';

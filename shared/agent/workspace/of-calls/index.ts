/** All that is needed to work with files, in one module: it is loaded with the first call that asks for its workspace. */
export { warm } from '../cache.ts';
export { openWorkspace } from './call.ts';
export { takeIn } from './taken-in.ts';
export { fitting, treeAfter } from './together.ts';

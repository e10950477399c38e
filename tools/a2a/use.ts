/** All that a call needs. Loaded by the first call of a remote agent in a process. */

export { askRemote } from './ask-remote.ts';
export { cancelRemote } from './cancel-remote.ts';

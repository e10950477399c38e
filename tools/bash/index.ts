/** `steploop/bash`: a shell without a process, over the files of the session. Needs `just-bash`. */

export { type BashOptions, bash } from './bash.ts';
export { scriptLevel } from './level.ts';

/** `steploop/typescript`: compiles the TypeScript of a session's files. Needs `@typescript/typescript6`. */

export { type TypecheckOptions, typecheck } from './typecheck.ts';

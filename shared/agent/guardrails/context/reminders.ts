export { evidenceOf } from './evidence.ts';
export { inspected, orient } from './orient.ts';
export { recite } from './recite.ts';

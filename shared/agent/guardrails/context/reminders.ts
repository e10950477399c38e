export { evidenceOf } from './evidence.ts';
export { recite } from './recite.ts';

export { reminders } from '../../texts/reminders.ts';
export { evidenceOf } from './evidence.ts';
export { recite } from './recite.ts';

import type * as Reminders from './reminders.ts';

let words: typeof Reminders | undefined;

/** Gives guards the code that writes reminders, which few runs need: a step loads it before it asks them. */
export function remindWith(read: typeof Reminders): void {
  words = read;
}

/** The code that writes reminders. Throws if it was not loaded. */
export function reminding(): typeof Reminders {
  if (!words) throw new Error('a reminder was asked for before its words were read');
  return words;
}

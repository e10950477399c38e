import type * as Reminders from './reminders.ts';

let words: typeof Reminders | undefined;

/** Hands guards what makes the words of reminders (T10, T11), which few runs have: a step reads it before it asks them. */
export function remindWith(read: typeof Reminders): void {
  words = read;
}

/** What makes them. Throws when nobody has read it. */
export function reminding(): typeof Reminders {
  if (!words) throw new Error('a reminder was asked for before its words were read');
  return words;
}

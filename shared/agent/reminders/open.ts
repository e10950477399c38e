import { readOnce } from '../plain/read-once.ts';
import type { Reminders, Reminding } from './reminders.ts';
import type { ReminderPorts } from './stored.ts';

/** Loads the rest of the code for reminders, which most steps do not need. */
export const readReminding = readOnce(() => import('./stored.ts'));

/** The reminders of one call. Nothing is loaded or read before they are used, and nothing begins after `signal` has aborted. */
export function remindersOf(of: Reminding, io: ReminderPorts, signal: AbortSignal): Reminders {
  let count = 0;
  const rest = async () => {
    signal.throwIfAborted();
    return readReminding();
  };
  return {
    async set(reminder) {
      const nth = count++;
      return (await rest()).setReminder(of, nth, reminder, io);
    },
    list: async () => (await rest()).listReminders(of, io),
    cancel: async (id) => (await rest()).cancelReminder(of, id, io),
  };
}

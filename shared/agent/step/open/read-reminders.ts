import type { Injections } from '../../config/injections.ts';
import { remindWith } from '../../guardrails/context/reminding.ts';

let read = false;

/** Reads what makes the words of reminders, once in a process and only where a run has some (T10, T11). */
export async function readReminders({
  recitation,
  failures,
}: Pick<Injections, 'recitation' | 'failures'>): Promise<void> {
  if (read || (recitation.length === 0 && failures === 0)) return;
  remindWith(await import('../../guardrails/context/reminders.ts'));
  read = true;
}

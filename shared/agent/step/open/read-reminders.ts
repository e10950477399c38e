import type { Injections } from '../../config/injections.ts';
import { remindWith } from '../../guardrails/context/reminding.ts';

let read = false;

/** Loads the texts of reminders, only if a run has some. */
export async function readReminders({
  recitation,
  orientation,
  failures,
}: Pick<Injections, 'recitation' | 'orientation' | 'failures'>): Promise<void> {
  if (read || (recitation.length === 0 && orientation === 0 && failures === 0)) return;
  remindWith(await import('../../guardrails/context/reminders.ts'));
  read = true;
}

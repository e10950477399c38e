/** Reminders as schedules with one tick, which write to the session that has set them. */

import { API_SCHEDULE, MAX_SCHEDULE_MESSAGE } from '../../contract/schedules.ts';
import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { hash } from '../plain/hash.ts';
import type { Ports } from '../ports/ports.ts';
import { createSchedule } from '../schedules/create.ts';
import type { Schedule, StoredSchedule } from '../schedules/schedule.ts';
import type { Caller } from '../session/caller.ts';
import type { Again, NewReminder, Reminder, Reminding } from './reminders.ts';

export type ReminderPorts = Pick<Ports, 'clock' | 'queue' | 'schedules'>;

/** Reminders of one session that are still to come. */
const MOST = 50;
/** Schedules on one page. */
const PAGE = 100;

export async function setReminder(
  of: Reminding,
  nth: number,
  { at, zone, name, text, again }: NewReminder,
  io: ReminderPorts,
): Promise<Reminder> {
  if (text.trim() === '' || text.length > MAX_SCHEDULE_MESSAGE)
    throw new Error(`A reminder has 1 to ${MAX_SCHEDULE_MESSAGE} characters.`);
  const { tenant, sessionId, agent } = of;
  const id = `${API_SCHEDULE}${hash(`reminder ${of.idempotencyKey} ${nth}`, 26)}`;
  const before = await io.schedules.read({ tenant, id });
  if (before) return reminderIn(before);
  // A reminder is removed when it is told, and the record of that stays.
  const [told] = await io.schedules.records({ tenant, id }, '', 1);
  if (told) return { id, at: told.at, zone, name, ...defined({ again }) };
  if ((await remindersIn(of, io)).length >= MOST)
    throw new Error(
      `This session has ${MOST} reminders, which is the most. Cancel some that are not needed.`,
    );
  const schedule: Schedule = {
    key: { tenant, id },
    ...{ name, agent, zone, message: text, into: { sessionId } },
    ...(again ? repeated(again) : { when: { at: instantOf(at) }, overlap: 'queue' }),
    ...{ catchUp: 'last', declared: false, reminder: true, createdAt: io.clock.now() },
    ...speakerOf(of, id, zone),
  };
  const stored = await createSchedule(schedule, io);
  if (stored === 'full')
    throw new Error(
      'This tenant has 1,000 schedules and reminders, which is the most. Ask people to delete some.',
    );
  return reminderIn(stored);
}

export async function listReminders(of: SessionKey, io: ReminderPorts): Promise<readonly Reminder[]> {
  const found = await remindersIn(of, io);
  return found.map(reminderIn).sort((a, b) => a.at - b.at);
}

export async function cancelReminder(
  { tenant, sessionId }: SessionKey,
  id: string,
  { schedules }: ReminderPorts,
): Promise<boolean> {
  const stored = await schedules.read({ tenant, id });
  if (!stored || !isOf(sessionId, stored)) return false;
  return (await schedules.remove({ tenant, id })) === 'removed';
}

const isOf = (sessionId: string, { schedule: { reminder, into } }: StoredSchedule): boolean =>
  reminder === true && typeof into === 'object' && into.sessionId === sessionId;

async function remindersIn(
  { tenant, sessionId }: SessionKey,
  { schedules }: ReminderPorts,
): Promise<StoredSchedule[]> {
  const found: StoredSchedule[] = [];
  for (let after = API_SCHEDULE; ; ) {
    const page = await schedules.page(tenant, after, PAGE);
    found.push(...page.filter((one) => isOf(sessionId, one)));
    const last = page.at(-1);
    if (page.length < PAGE || !last) return found;
    after = last.schedule.key.id;
  }
}

/** The next whole second. */
const instantOf = (at: number): string =>
  `${new Date(Math.ceil(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;

const repeated = ({ every, until, usd }: Again): Pick<Schedule, 'when' | 'overlap' | 'until' | 'budget'> => ({
  ...{ when: { every }, overlap: 'skip', until },
  ...(usd !== undefined && { budget: { usd, per: 'total' } }),
});

function reminderIn({ schedule, course }: StoredSchedule): Reminder {
  const { key, when, zone, name, until, budget } = schedule;
  const again = 'every' in when &&
    until !== undefined && { every: when.every, until, ...defined({ usd: budget?.usd }) };
  return {
    ...{ id: key.id, zone, name },
    at: 'at' in when ? Date.parse(when.at) : (course.nextAt ?? until ?? 0),
    ...(again && { again }),
  };
}

/**
 * The speaker of a reminder, without roles, because roles may be taken away meanwhile. If several people speak in the run, the
 * reminder has no user: words of one person must not get the rights of another.
 */
function speakerOf(
  { user }: { readonly user?: Caller },
  id: string,
  zone: string,
): Pick<Schedule, 'speaker' | 'user'> {
  if (!user)
    return { speaker: { by: `schedule:${id}`, caller: { kind: 'schedule', channel: 'schedule', zone } } };
  const { subject, kind, name, zone: own } = user;
  return {
    speaker: { by: subject, caller: { kind, channel: 'schedule', ...defined({ name, zone: own }) } },
    ...(kind === 'jwt' && { user: subject }),
  };
}

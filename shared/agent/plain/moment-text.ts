import { localTime } from './zones.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day of a local time such as `2026-11-27T00:30`, in words that are unambiguous in every country. */
export function dateIn(local: string): string {
  const [year = 0, month = 1, day = 1] = local.slice(0, 10).split('-').map(Number);
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return `${DAYS[weekday]} ${day} ${MONTHS[month - 1]} ${year}`;
}

/** `Fri 27 Nov 2026, 09:00 Europe/Berlin` @param at epoch ms */
export function momentText(at: number, zone: string): string {
  const local = localTime(at, zone);
  return `${dateIn(local)}, ${local.slice(11)} ${zone}`;
}

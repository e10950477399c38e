/** The money that the sessions of a schedule have spent, for its budget. */

import type { ScheduleBudget } from '../../../contract/schedules.ts';
import type { SessionView } from '../../ports/sessions.ts';
import type { Spent, StoredSchedule } from '../../schedules/schedule.ts';

/** Sessions that are asked again. Older ones have ended, or wait for people. */
const MAX_SESSIONS = 20;

/** Characters of an ISO date that name the span. */
const SPAN: Readonly<Record<ScheduleBudget['per'], number>> = { day: 10, month: 7, total: 0 };

/** Money spent in the span of `now`, after the sessions were asked. Undefined without a budget. */
export async function spentNow(
  { schedule: { budget }, course }: Pick<StoredSchedule, 'schedule' | 'course'>,
  now: number,
  read: (sessionId: string) => Promise<SessionView | undefined>,
): Promise<Spent | undefined> {
  if (!budget) return undefined;
  const span = new Date(now).toISOString().slice(0, SPAN[budget.per]);
  const before = course.spent ?? { span, usd: 0, sessions: [] };
  let usd = before.span === span ? before.usd : 0;
  const sessions: { sessionId: string; usd: number }[] = [];
  for (const known of before.sessions) {
    const view = await read(known.sessionId);
    if (!view) continue;
    const { costUsd } = view.session.totals;
    usd += Math.max(0, costUsd - known.usd);
    sessions.push({ sessionId: known.sessionId, usd: costUsd });
  }
  return { span, usd, sessions };
}

/** The same, with a session that is started now. Earlier spending of that session is not the schedule's. */
export async function spendingIn(
  spent: Spent,
  sessionId: string,
  read: (sessionId: string) => Promise<SessionView | undefined>,
): Promise<Spent> {
  if (spent.sessions.some((known) => known.sessionId === sessionId)) return spent;
  const usd = (await read(sessionId))?.session.totals.costUsd ?? 0;
  return { ...spent, sessions: [...spent.sessions, { sessionId, usd }].slice(-MAX_SESSIONS) };
}

export const isOverBudget = (budget: ScheduleBudget | undefined, spent: Spent | undefined): boolean =>
  budget !== undefined && spent !== undefined && spent.usd >= budget.usd;

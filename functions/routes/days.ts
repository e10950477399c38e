import { dayOf } from '../../shared/agent/budgets/tenant-budgets.ts';
import { daysAnswer } from '../../shared/agent/entrypoints/days/answer.ts';
import { tallySession } from '../../shared/agent/entrypoints/days/of-session.ts';
import { dayAfter, spanOf } from '../../shared/agent/entrypoints/days/span.ts';
import type { CountedDay } from '../../shared/agent/entrypoints/days/store.ts';
import { addTallies, emptyTally, type Tally } from '../../shared/agent/entrypoints/days/tally.ts';
import { groupsOf } from '../../shared/agent/plain/groups.ts';
import { DaysQuery, MAX_DAYS } from '../../shared/contract/days.ts';
import { maySeeAll } from '../../shared/contract/identity.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import type { Route, RouteContext } from './context.ts';

/** Sessions of today that are read for an answer, the most recently active ones. */
const MOST_TODAY = 100;
/** Sessions that run since an earlier day, of these. */
const MOST_RUNNING = 20;
/** Sessions that are read in parallel. */
const AT_ONCE = 10;
/** Ms after which no further session of today is read, and after which one that is being read is left out. */
const TODAY_MS = 4_000;
const LATE_MS = 8_000;

/**
 * `GET /history`: the last days of the caller's tenant. Days that are over are read as the sweeper has counted them, from the first
 * request on; today is counted here. All days are UTC's, as the server's clock has them: a browser's own day would cut off a part.
 */
export const readHistory: Route = async (event, caller, { io, days, listed }) => {
  if (!maySeeAll(caller))
    throw new Refusal(403, 'Not allowed', {
      detail: 'Only callers who may see all sessions of the tenant may see its history.',
    });
  const query = parseOr400(DaysQuery, event.queryStringParameters ?? {}, 'query');
  const now = io.clock.now();
  const today = dayOf(now);
  const from = dayAfter(today, 1 - query.days);
  await days.begin(caller.tenant, dayAfter(today, 1 - MAX_DAYS), now);
  const [counted, current] = await Promise.all([
    query.days > 1 ? days.read(caller.tenant, from, dayAfter(today, -1)) : [],
    countToday(caller.tenant, today, { io, listed }),
  ]);
  return json(200, daysAnswer([...counted, current], query.days - 1 - counted.length));
};

/** Counts today as far as an answer may take. */
async function countToday(
  tenant: string,
  day: string,
  { io, listed }: Pick<RouteContext, 'io' | 'listed'>,
): Promise<CountedDay> {
  const span = spanOf(day);
  const begunAt = io.clock.now();
  const isLate = () => io.clock.now() >= begunAt + LATE_MS;
  const [active, running] = await Promise.all([
    listed.page(tenant, { since: span.from, limit: MOST_TODAY }),
    listed.page(tenant, { states: ['idle', 'running'], until: span.from, limit: MOST_RUNNING }),
  ]);
  const ids = [...active.sessions, ...running.sessions].map(({ sessionId }) => sessionId);
  let tally: Tally = active.next || running.next ? { ...emptyTally, partial: true } : emptyTally;
  for (const some of groupsOf([...new Set(ids)], AT_ONCE)) {
    if (io.clock.now() >= begunAt + TODAY_MS) return { day, tally: { ...tally, partial: true } };
    const told = await Promise.allSettled(
      some.map((sessionId) => tallySession({ tenant, sessionId }, span, io.sessions, isLate)),
    );
    for (const one of told)
      tally = addTallies(
        tally,
        one.status === 'fulfilled' ? (one.value ?? emptyTally) : { ...emptyTally, partial: true },
      );
    // If a whole group fails in time, the cause is not a session.
    const [first] = told;
    if (first?.status === 'rejected' && !isLate() && told.every(({ status }) => status === 'rejected'))
      throw first.reason;
  }
  return { day, tally };
}

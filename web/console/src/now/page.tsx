import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Client, SessionRow } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Budget } from '../parts/budget.tsx';
import { Failure } from '../parts/failure.tsx';
import { count, usd } from '../parts/words.ts';
import { DeadDeliveries } from './dead.tsx';
import { FailingList } from './failing.tsx';
import { Inbox } from './inbox.tsx';
import { tally } from './tally.ts';

/** Ms between two looks. */
const LOOK_MS = 5_000;
/** Sessions that are counted at most. */
const MOST = 1_000;
const DAY_MS = 24 * 3_600_000;

/** What goes on now: what waits for people, what fails and why, and what it costs, of the last day. */
export function NowPage() {
  const { client } = useDeployment();
  const day = useQuery({
    queryKey: ['sessions', 'day'],
    queryFn: () => lastDay(client),
    refetchInterval: LOOK_MS,
  });
  const rows = day.data ?? [];
  const { states, reasons, agents } = tally(rows);
  const dearest = Math.max(...agents.map((one) => one.usd), 0.000001);
  return (
    <div className="now">
      <h1>Now</h1>
      <Failure error={day.error} />
      <section aria-label="States">
        <h2>Sessions of the last day</h2>
        <ul className="row tiles">
          {states.map(([state, n]) => (
            <li key={state}>
              <Link to="/" search={{ state, within: 'day' }}>
                <span className="number">{count(n)}</span> <StateBadge state={state} />
              </Link>
            </li>
          ))}
        </ul>
        {day.isSuccess && rows.length === 0 && <p className="dim">There are none.</p>}
        {rows.length >= MOST && <p className="dim">Of the latest {count(MOST)}.</p>}
      </section>
      {reasons.length > 0 && (
        <section aria-label="Failing">
          <h2>Failing, of the last day</h2>
          <FailingList reasons={reasons} />
        </section>
      )}
      <Inbox />
      <Budget />
      {agents.length > 0 && (
        <section aria-label="Spend">
          <h2>Spend by agent</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">Sessions</th>
                <th scope="col">Models, USD</th>
                <th scope="col">
                  <span className="hidden">Share</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {agents.map((one) => (
                <tr key={one.agent}>
                  <th scope="row">{one.agent}</th>
                  <td>{count(one.sessions)}</td>
                  <td>{usd(one.usd)}</td>
                  <td className="share" aria-hidden="true">
                    <span className="phase model" style={{ width: `${(100 * one.usd) / dearest}%` }} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <DeadDeliveries />
    </div>
  );
}

async function lastDay(client: Client): Promise<SessionRow[]> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const rows: SessionRow[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined && rows.length < MOST; ) {
    const page = await client.sessions({ since, limit: 100, ...(cursor && { cursor }) });
    rows.push(...page.sessions);
    cursor = page.next;
  }
  return rows;
}

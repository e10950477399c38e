import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Client, SessionRow } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Budget } from '../parts/budget.tsx';
import { Failure } from '../parts/failure.tsx';
import { count } from '../parts/words.ts';
import { DeadDeliveries } from './dead.tsx';
import { FailingList } from './failing.tsx';
import { Inbox } from './inbox.tsx';
import { LatencyTable } from './latency-table.tsx';
import { SpendTable } from './spend.tsx';
import { tally } from './tally.ts';
import { Throughput } from './throughput.tsx';

/** Ms between two reads. */
const LOOK_MS = 5_000;
/** Most sessions that are counted. */
const MOST = 1_000;
const DAY_MS = 24 * 3_600_000;

/** The current state: waits for people, failures with their reasons, and costs of the last day. */
export function NowPage() {
  const { client } = useDeployment();
  const day = useQuery({
    queryKey: ['sessions', 'day'],
    queryFn: () => lastDay(client),
    refetchInterval: LOOK_MS,
  });
  const rows = day.data ?? [];
  const { states, reasons, agents, models } = tally(rows);
  return (
    <div className="now">
      <h1>Now</h1>
      <Failure error={day.error} />
      <section aria-label="States">
        <h2>Sessions in the last 24 hours</h2>
        <ul className="row tiles">
          {states.map(([state, n]) => (
            <li key={state}>
              <Link to="/" search={{ state, within: 'day' }}>
                <span className="number">{count(n)}</span> <StateBadge state={state} />
              </Link>
            </li>
          ))}
        </ul>
        {day.isSuccess && rows.length === 0 && <p className="dim">None.</p>}
        {rows.length >= MOST && (
          <p className="dim">Only the latest {count(MOST)} sessions are counted, here and below.</p>
        )}
      </section>
      {reasons.length > 0 && (
        <section aria-label="Failing">
          <h2>Failures in the last 24 hours</h2>
          <FailingList reasons={reasons} />
        </section>
      )}
      <Inbox />
      <Budget />
      <Throughput rows={rows} />
      <LatencyTable rows={rows} />
      <SpendTable by="Agent" spend={agents} />
      <SpendTable by="Model" spend={models} />
      {agents.length > 0 && (
        <p className="dim">
          Total cost of the sessions active in the last 24 hours. By model: the model that answered last in
          each.
        </p>
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

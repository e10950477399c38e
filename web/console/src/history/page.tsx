import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { isNotMine } from '../parts/mine.ts';
import { count, duration, usd } from '../parts/words.ts';
import { Charts } from './charts.tsx';
import { EndedTable } from './ended-table.tsx';
import { type Range, ranges } from './range.ts';
import { AgentTable, ModelTable, ToolTable } from './tables.tsx';

/** Ms between two reads: each one counts today's sessions. */
const LOOK_MS = 60_000;

/** The last days: runs, failures by reason, durations, and cost by agent, model and tool. */
export function HistoryPage({ days }: { readonly days: Range }) {
  const { client } = useDeployment();
  const history = useQuery({
    queryKey: ['history', days],
    queryFn: () => client.history(days),
    refetchInterval: LOOK_MS,
  });
  const { data, error } = history;
  return (
    <div className="now">
      <h1>History</h1>
      <nav aria-label="Days" className="row">
        {ranges.map((one) => (
          <Link key={one} to="/history" search={{ days: one }} className="button">
            {one} days
          </Link>
        ))}
      </nav>
      {isNotMine(error) ? (
        <p className="dim">Only people who may see all sessions of the tenant can see its history.</p>
      ) : (
        <Failure error={error} />
      )}
      {history.isLoading && <p role="status">Loading …</p>}
      {data && (
        <>
          <ul className="row tiles" aria-label="Totals">
            <Tile name="runs" shown={count(data.total.runs)} />
            <Tile name="failed" shown={count(data.total.failed)} />
            <Tile name="steps" shown={count(data.total.steps)} />
            <Tile name="for models" shown={usd(data.total.costUsd)} />
            <Tile name="for infrastructure" shown={usd(data.total.infraUsd)} />
            {data.total.durations.p50Ms !== undefined && (
              <>
                <Tile name="p50 of a run" shown={duration(data.total.durations.p50Ms)} />
                <Tile name="p95 of a run" shown={duration(data.total.durations.p95Ms ?? 0)} />
              </>
            )}
          </ul>
          {data.pending > 0 && (
            <p role="status" className="dim">
              {count(data.pending)} earlier {data.pending === 1 ? 'day is' : 'days are'} not counted yet. The
              sweeper counts them, one after the other.
            </p>
          )}
          {data.days.some(({ partial }) => partial) && (
            <p className="dim">
              Days marked with * are not complete: today’s has the 100 latest sessions at most, and some
              sessions of other days could not be counted.
            </p>
          )}
          <Charts days={data.days} />
          <EndedTable reasons={data.total.reasons} runs={data.total.runs} />
          <AgentTable agents={data.agents} />
          <ModelTable models={data.models} />
          <ToolTable tools={data.tools} />
          <p className="dim">
            Days are UTC’s, and the last one is today. A run counts on the day on which it ended, a step on
            the day on which it began. Durations exclude waits for people.
          </p>
        </>
      )}
    </div>
  );
}

const Tile = ({ name, shown }: { readonly name: string; readonly shown: string }) => (
  <li className="tile">
    <span className="number">{shown}</span> {name}
  </li>
);

import { useQuery } from '@tanstack/react-query';
import type { Client, SessionRow, StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { count, duration } from '../parts/words.ts';
import { latenciesOf } from './latencies.ts';

/** Sessions whose steps are read, and steps of each. */
const SESSIONS = 20;
const STEPS = 50;
/** Ms between two reads. */
const LOOK_MS = 30_000;

/** How long runs and steps take: runs come from the list, steps from the latest sessions. */
export function LatencyTable({ rows }: { readonly rows: readonly SessionRow[] }) {
  const { client } = useDeployment();
  const latest = rows.slice(0, SESSIONS).map(({ sessionId }) => sessionId);
  const steps = useQuery({
    // The key does not name the sessions, so that the steps are not read again whenever one moves.
    queryKey: ['latest steps', latest.length > 0],
    queryFn: () => stepsOf(client, latest),
    enabled: latest.length > 0,
    refetchInterval: LOOK_MS,
  });
  const lines = latenciesOf(rows, steps.data ?? []);
  if (lines.length === 0) return <Failure error={steps.error} />;
  return (
    <section aria-label="Latencies">
      <h2>Latency</h2>
      <Failure error={steps.error} />
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">Samples</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, p50, p95, count: n }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{duration(p50)}</td>
                <td>{duration(p95)}</td>
                <td>{count(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim">
        Runs: the last run of each session in the last 24 hours. Steps: up to {STEPS} of each of the latest{' '}
        {SESSIONS} sessions. Time lost to a dead worker counts as queue time of the next attempt.
      </p>
    </section>
  );
}

/** The latest steps of sessions. A session that was deleted meanwhile has none. */
async function stepsOf(client: Client, sessionIds: readonly string[]): Promise<StepInfo[]> {
  const read = await Promise.allSettled(
    sessionIds.map((sessionId) => client.steps(sessionId, { order: 'newest', limit: STEPS })),
  );
  const steps = read.flatMap((one) => (one.status === 'fulfilled' ? one.value.steps : []));
  // A step that forks share counts once.
  return [...new Map(steps.map((step) => [`${step.runId} ${step.slots[0]}`, step])).values()];
}

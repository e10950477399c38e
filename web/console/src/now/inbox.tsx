import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isForPeople } from '../../../../shared/contract/waits.ts';
import type { SessionRow } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';
import { WaitCard } from '../session/waits.tsx';

/** Open requests to people, across sessions, with the means to decide them. */
export function Inbox() {
  const { client } = useDeployment();
  const waiting = useQuery({
    queryKey: ['sessions', 'waiting'],
    queryFn: () => client.sessions({ state: ['waiting_for_input'], limit: 50 }),
    refetchInterval: 2_000,
  });
  const rows = waiting.data?.sessions ?? [];
  return (
    <section aria-label="Inbox">
      <h2>Waiting for people</h2>
      <Failure error={waiting.error} />
      {waiting.isSuccess && rows.length === 0 && <p className="dim">Nothing is waiting for people.</p>}
      {rows.map((row) => (
        <Asked key={row.sessionId} row={row} />
      ))}
    </section>
  );
}

function Asked({ row: { sessionId, title, agent, movedAt } }: { readonly row: SessionRow }) {
  const { client } = useDeployment();
  const session = useQuery({
    // When the session has moved, it may ask for something else.
    queryKey: ['session', sessionId, movedAt],
    queryFn: () => client.session(sessionId),
  });
  const waits = session.data?.waits.filter(({ kind }) => isForPeople(kind)) ?? [];
  return (
    <article className="asked">
      <h3>
        <Link to="/sessions/$sessionId" params={{ sessionId }}>
          {plain(title) || sessionId}
        </Link>{' '}
        <span className="dim">{agent}</span>
      </h3>
      {session.isSuccess && waits.length === 0 && <p className="dim">Waiting for a message.</p>}
      {waits.map((wait) => (
        <WaitCard key={wait.id} sessionId={sessionId} wait={wait} />
      ))}
      <Failure error={session.error} />
    </article>
  );
}

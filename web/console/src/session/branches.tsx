import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SessionInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { plain } from '../parts/plain.ts';
import { count } from '../parts/words.ts';

/** Ms between two reads. */
const LOOK_MS = 30_000;

/** The session that this one was forked from, and the sessions that were forked from it. */
export function Branches({ session: { sessionId, forkOf } }: { readonly session: SessionInfo }) {
  const { client } = useDeployment();
  const forks = useQuery({
    queryKey: ['forks', sessionId],
    queryFn: () => client.forks(sessionId),
    refetchInterval: LOOK_MS,
  });
  const rows = forks.data ?? [];
  return (
    <>
      {forkOf && (
        <div className="row">
          <p>
            Forked from{' '}
            <Link to="/sessions/$sessionId" params={{ sessionId: forkOf.sessionId }} className="mono">
              {forkOf.sessionId}
            </Link>
          </p>
          <Link to="/compare" search={{ a: forkOf.sessionId, b: sessionId }}>
            Compare with it
          </Link>
        </div>
      )}
      {rows.length > 0 && (
        <details className="more">
          <summary>
            {count(rows.length)} {rows.length === 1 ? 'fork' : 'forks'}
          </summary>
          <ul className="plain-list">
            {rows.map(({ sessionId: id, title }) => (
              <li key={id}>
                <Link to="/sessions/$sessionId" params={{ sessionId: id }}>
                  {title ? plain(title) : id}
                </Link>{' '}
                <span className="mono dim">{id}</span> ·{' '}
                <Link to="/compare" search={{ a: sessionId, b: id }} aria-label={`Compare with fork ${id}`}>
                  Compare
                </Link>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { Rating, SessionInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { count } from '../parts/words.ts';

/** Ms between two reads. */
const LOOK_MS = 30_000;

/** People's ratings of the session's answers, and the command that makes an eval case of it. Shows nothing without ratings. */
export function Ratings({ session: { sessionId } }: { readonly session: SessionInfo }) {
  const { client } = useDeployment();
  const feedback = useQuery({
    queryKey: ['feedback', sessionId],
    queryFn: () => client.feedback(sessionId),
    refetchInterval: LOOK_MS,
  });
  const all = feedback.data ?? [];
  if (all.length === 0) return null;
  const of = (rating: Rating) => all.filter((one) => one.rating === rating).length;
  return (
    <details className="more">
      <summary>
        Rated good by {count(of('good'))}, bad by {count(of('bad'))}
      </summary>
      <ul className="plain-list">
        {all.map(({ runId, by, rating, at }) => (
          <li key={`${runId} ${by}`}>
            {rating === 'good' ? 'Good' : 'Bad'} <span className="mono">{by}</span>{' '}
            <span className="dim">
              {at.slice(0, 16).replace('T', ' ')} UTC, run <span className="mono">{runId}</span>
            </span>
          </li>
        ))}
      </ul>
      <p className="dim">
        Make an eval case of it: <code className="mono">npx steploop eval record {sessionId}</code>
      </p>
    </details>
  );
}

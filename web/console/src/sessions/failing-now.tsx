import { useQuery } from '@tanstack/react-query';
import { states } from '../../../../shared/contract/session.ts';
import { useDeployment } from '../deployment.tsx';
import { FailingList } from '../now/failing.tsx';
import { tally } from '../now/tally.ts';
import { toneOf } from '../parts/words.ts';

const DAY_MS = 24 * 3_600_000;
const bad = states.filter((state) => toneOf(state) === 'bad');

/** Failures by reason, of the latest hundred in the last day: the first thing that an operator sees. */
export function FailingNow() {
  const { client } = useDeployment();
  const failing = useQuery({
    queryKey: ['sessions', 'failing'],
    queryFn: () =>
      client.sessions({ state: bad, since: new Date(Date.now() - DAY_MS).toISOString(), limit: 100 }),
    refetchInterval: 10_000,
  });
  const { reasons } = tally(failing.data?.sessions ?? []);
  if (reasons.length === 0) return null;
  return (
    <details className="failing" aria-label="Failing" open>
      <summary>Failures in the last 24 hours</summary>
      <FailingList reasons={reasons} />
    </details>
  );
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeadDeliveryInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { isNotMine } from '../parts/mine.ts';

/** Webhook deliveries that could not be processed. Shows nothing if there are no webhooks, or if the user may not see them. */
export function DeadDeliveries() {
  const { client } = useDeployment();
  const dead = useQuery({
    queryKey: ['dead'],
    queryFn: () => client.deadDeliveries(),
    refetchInterval: 30_000,
  });
  const queries = useQueryClient();
  const redrive = useMutation({
    mutationFn: (id: string) => client.redrive(id),
    // It may have failed for another reason now.
    onSettled: () => queries.invalidateQueries({ queryKey: ['dead'] }),
  });
  const error = isNotMine(dead.error) ? undefined : dead.error;
  const deliveries = dead.data ?? [];
  const begun = redrive.data?.sessionId;
  if (!error && deliveries.length === 0 && redrive.isIdle) return null;
  return (
    <section aria-label="Dead deliveries">
      <h2>Dead webhook deliveries</h2>
      <Failure error={error ?? redrive.error} />
      <p role="status" className="dim">
        {redrive.isSuccess && (begun ? 'Done: ' : 'Nothing is left to do.')}
        {begun && (
          <Link to="/sessions/$sessionId" params={{ sessionId: begun }}>
            session
          </Link>
        )}
      </p>
      <ul className="plain-list">
        {deliveries.map((one) => (
          <Dead
            key={one.id}
            delivery={one}
            isBusy={redrive.isPending}
            onRedrive={() => redrive.mutate(one.id)}
          />
        ))}
      </ul>
    </section>
  );
}

interface DeadProps {
  readonly delivery: DeadDeliveryInfo;
  readonly isBusy: boolean;
  readonly onRedrive: () => void;
}

const Dead = ({
  delivery: { source, name, deliveryId, reason, detail, at },
  isBusy,
  onRedrive,
}: DeadProps) => (
  <li className="row">
    <span className="grow">
      {source} · {name} · {reason} · <span className="mono dim">{deliveryId}</span>{' '}
      <time className="dim" dateTime={at}>
        {new Date(at).toLocaleString()}
      </time>
      <span className="plain dim lines">{detail}</span>
    </span>
    <button
      type="button"
      disabled={isBusy}
      onClick={onRedrive}
      aria-label={`Redrive ${source} ${deliveryId}`}
    >
      Redrive
    </button>
  </li>
);

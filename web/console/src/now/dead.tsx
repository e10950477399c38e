import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

interface Delivery {
  readonly id: string;
  readonly source: string;
  /** Its sender's id of it. */
  readonly deliveryId: string;
  readonly reason: string;
  readonly detail: string;
}

/** Deliveries of webhooks that could not be carried out; nothing where there are no webhooks, or they are not for whoever looks. */
export function DeadDeliveries() {
  const { read } = useDeployment();
  const dead = useQuery({
    queryKey: ['dead'],
    queryFn: async () => ((await read('/hooks/dead?limit=50')) ?? null) as { deliveries: Delivery[] } | null,
    refetchInterval: 30_000,
  });
  const deliveries = dead.data?.deliveries ?? [];
  if (!dead.error && deliveries.length === 0) return null;
  return (
    <section aria-label="Dead deliveries">
      <h2>Dead deliveries of webhooks</h2>
      <Failure error={dead.error} />
      <ul className="plain-list">
        {deliveries.map(({ id, source, deliveryId, reason, detail }) => (
          <li key={id}>
            {source} · {reason} · <span className="mono dim">{deliveryId}</span>
            <p className="plain dim">{detail}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

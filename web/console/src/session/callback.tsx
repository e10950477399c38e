import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SessionInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

/** A callback whose receiver does not take its messages, and a button that tries it now. */
export function Callback({ session: { sessionId, callback } }: { readonly session: SessionInfo }) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => client.tryCallback(sessionId),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['session', sessionId] }),
  });
  if (!callback || (callback.state === 'active' && callback.attempts === 0)) return null;
  const { state, attempts, lastStatus, nextAt } = callback;
  const why = lastStatus === undefined ? '' : ` (${lastStatus})`;
  const next = nextAt ? `, next try at ${new Date(nextAt).toLocaleTimeString()}` : '';
  const says = {
    active: `The callback failed ${attempts === 1 ? 'once' : `${attempts} times`}${why}${next}.`,
    given_up: `The callback's last message was given up${why}.`,
    disabled: `The receiver has disabled the callback${why}.`,
  };
  return (
    <>
      <p className="row">
        <span>{says[state]}</span>
        <button type="button" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Try now
        </button>
      </p>
      <Failure error={retry.error} />
    </>
  );
}

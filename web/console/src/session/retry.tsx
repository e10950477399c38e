import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { SessionInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

/** Whether the last run ended before it was done. */
const endedEarly = ({ state, run }: SessionInfo): boolean =>
  run?.ended === true && !['completed', 'running', 'idle'].includes(state);

/** Continues where the last run ended early. Shows nothing if it did not. */
export function Retry({ session }: { readonly session: SessionInfo }) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const { sessionId, run } = session;
  // One key for each ended run: pressing twice starts one run.
  const key = useRef({ of: run?.id, is: crypto.randomUUID() });
  if (key.current.of !== run?.id) key.current = { of: run?.id, is: crypto.randomUUID() };
  const retry = useMutation({
    mutationFn: () => client.retry(sessionId, { idempotencyKey: key.current.is }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['session', sessionId] }),
  });
  if (!endedEarly(session)) return null;
  return (
    <div className="row">
      <button type="button" disabled={retry.isPending} onClick={() => retry.mutate()}>
        Try again
      </button>
      <span className="dim">Continues where the last run ended.</span>
      <Failure error={retry.error} />
    </div>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

interface ForkProps {
  readonly sessionId: string;
  readonly step: StepInfo;
}

/** Forks the session after a step, and opens the fork. */
export function Fork({ sessionId, step: { step, slots } }: ForkProps) {
  const { client } = useDeployment();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const slot = slots.at(-1);
  const fork = useMutation({
    mutationFn: () =>
      client.fork(sessionId, { ...(slot !== undefined && { slot }) }, { idempotencyKey: key.current }),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: ['forks', sessionId] });
      return navigate({ to: '/sessions/$sessionId', params: { sessionId: made.sessionId } });
    },
  });
  return (
    <div className="row">
      <button type="button" disabled={fork.isPending} onClick={() => fork.mutate()}>
        Fork after step {step}
      </button>
      <Failure error={fork.error} />
    </div>
  );
}

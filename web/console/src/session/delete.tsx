import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SessionInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';

/** Deletes the session after a confirmation. Shows nothing while a run is in progress or waits. */
export function Delete({ session }: { readonly session: SessionInfo }) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isSure, setSure] = useState(false);
  const { sessionId, state, title } = session;
  const remove = useMutation({
    mutationFn: () => client.deleteSession(sessionId),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['sessions'] });
      await navigate({ to: '/' });
    },
  });
  if (['running', 'waiting_for_tool', 'waiting_for_input'].includes(state)) return null;
  if (!isSure)
    return (
      <button type="button" className="quiet small" onClick={() => setSure(true)}>
        Delete
      </button>
    );
  return (
    <section className="stack" aria-label="Delete">
      <p>
        Deletes “{title ? plain(title) : sessionId}”: its messages, files, steps and costs. Its effects
        elsewhere, and what agents remember from it, stay.
      </p>
      <div className="row">
        <button type="button" className="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete permanently
        </button>
        <button type="button" onClick={() => setSure(false)}>
          Cancel
        </button>
      </div>
      <Failure error={remove.error} />
    </section>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { emptyView, type View, watchSession } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';

/** Ms between two reads of a session's state; its messages are pushed. */
const LOOK_MS = 2_000;

/** A session as it is shown: its live conversation, and its state. */
export function useSession(sessionId: string) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const [view, setView] = useState<View>(emptyView);
  const [refused, setRefused] = useState<Error>();
  const info = useQuery({
    queryKey: ['session', sessionId],
    queryFn: () => client.session(sessionId),
    refetchInterval: LOOK_MS,
  });

  useEffect(() => {
    const watch = watchSession(client, sessionId, {
      onView: setView,
      onEvent({ type }) {
        if (type === 'RUN_STARTED' || type === 'RUN_FINISHED' || type === 'RUN_ERROR')
          void queries.invalidateQueries({ queryKey: ['session', sessionId] });
        if (type === 'STEP_FINISHED') void queries.invalidateQueries({ queryKey: ['steps', sessionId] });
      },
      onRefused: setRefused,
    });
    return () => watch.close();
  }, [client, queries, sessionId]);

  return { view, info, refused };
}

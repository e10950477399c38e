import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SnapshotMessage } from '../../../../shared/contract/events.ts';
import {
  type Client,
  emptyView,
  type From,
  fold,
  type Subscription,
  type View,
} from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';

/** Ms between two looks at where a session stands; what it says comes by itself. */
const LOOK_MS = 2_000;

/** A session as it is shown: what is said in it, as it comes, and where it stands. */
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
    const left = new AbortController();
    let current = emptyView;
    let drawing = 0;
    let subscription: Subscription | undefined;
    // Many events come in one frame of the screen.
    const draw = () => {
      drawing = 0;
      setView(current);
    };
    const follow = async () => {
      const { messages, ...from } = await joinOf(client, sessionId);
      if (left.signal.aborted) return;
      current = fold(current, { type: 'MESSAGES_SNAPSHOT', messages });
      draw();
      subscription = client.subscribe(
        sessionId,
        {
          onEvent(event) {
            current = fold(current, event);
            drawing ||= requestAnimationFrame(draw);
            if (event.type === 'RUN_STARTED' || event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR')
              void queries.invalidateQueries({ queryKey: ['session', sessionId] });
            if (event.type === 'STEP_FINISHED')
              void queries.invalidateQueries({ queryKey: ['steps', sessionId] });
          },
          onAside(event) {
            current = fold(current, event);
            drawing ||= requestAnimationFrame(draw);
          },
          onRefused: setRefused,
        },
        from,
      );
    };
    follow().catch(setRefused);
    return () => {
      left.abort();
      cancelAnimationFrame(drawing);
      subscription?.close();
    };
  }, [client, queries, sessionId]);

  return { view, info, refused };
}

interface Join extends From {
  readonly messages: SnapshotMessage[];
}

/** Where following begins. Messages and cursor belong together: while steps end between the two looks, they are looked at again. */
async function joinOf(client: Client, sessionId: string): Promise<Join> {
  for (let tries = 0; tries < 5; tries++) {
    const { cursor, run } = await client.session(sessionId);
    const messages = await client.messages(sessionId);
    const then = await client.session(sessionId);
    if (then.cursor === cursor)
      return { after: cursor, messages, ...(run && !run.ended && { runId: run.id }) };
  }
  // It is faster than we are: all that the log has is read.
  return { messages: [] };
}

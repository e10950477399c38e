import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { HttpClient, SessionInfo, StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { runsOf } from './pairs.ts';

/** Steps of a session that are loaded. */
const MOST_STEPS = 1_000;
/** Ms between two looks at a session that runs. */
const RUNNING_MS = 2_000;

/** A side of a comparison: a session, and its steps or those of one run. */
export interface Side {
  readonly session: SessionInfo;
  /** Oldest first. */
  readonly steps: readonly StepInfo[];
  /** All runs of the session, oldest first. */
  readonly runs: readonly string[];
  /** The chosen run; undefined for all. */
  readonly runId: string | undefined;
  /** The session has more steps than are loaded. */
  readonly isCut: boolean;
}

/** Loads a side; it is undefined until then. */
export function useSide(sessionId: string | undefined, runId: string | undefined) {
  const { client } = useDeployment();
  const { data, error } = useQuery({
    queryKey: ['compared', sessionId],
    queryFn: async () => {
      const [session, loaded] = await Promise.all([
        client.session(sessionId ?? ''),
        stepsOf(client, sessionId ?? ''),
      ]);
      return { session, ...loaded };
    },
    enabled: sessionId !== undefined,
    staleTime: 0,
    // A run that was just begun, as by "Try otherwise", is followed to its end.
    refetchInterval: ({ state: { data } }) =>
      data?.session.state === 'running' || data?.session.state === 'idle' ? RUNNING_MS : false,
  });
  const side = useMemo((): Side | undefined => {
    if (!data) return undefined;
    const runs = runsOf(data.steps);
    const chosen = runs.find((run) => run === runId);
    const steps = chosen === undefined ? data.steps : data.steps.filter((step) => step.runId === chosen);
    return { ...data, runs, steps, runId: chosen };
  }, [data, runId]);
  return { side, error };
}

async function stepsOf(client: HttpClient, sessionId: string) {
  const steps: StepInfo[] = [];
  let from: string | undefined = '0';
  while (from !== undefined && steps.length < MOST_STEPS) {
    const page = await client.steps(sessionId, { from, limit: 500 });
    steps.push(...page.steps);
    from = page.next;
  }
  return { steps, isCut: from !== undefined };
}

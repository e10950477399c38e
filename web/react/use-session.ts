import { useMemo } from 'react';
import type { WaitInfo } from '../../shared/contract/http.ts';
import type { Reason, State } from '../../shared/contract/session.ts';
import type { StepInfo } from '../../shared/contract/steps.ts';
import type { SessionInfo } from '../client/http.ts';
import { emptyView, type Item, type View } from '../client/view.ts';
import { actionsOf, isForPeople, type SessionActions } from './actions.ts';
import type { Read } from './polled.ts';
import { useDeployment } from './provider.ts';
import { type Shown, sessionStore } from './session-store.ts';
import { still, useStore } from './use-store.ts';

/** How `useSession` shows a session. */
export interface UseSessionOptions {
  /** Its latest steps too, 100 at most: a request more with each step. @default false */
  readonly steps?: boolean;
}

/** A session as it is shown, and what can be done to it. The actions stay the same functions. */
export interface UseSession extends SessionActions {
  /** Messages and calls, oldest first, as they come. */
  readonly items: readonly Item[];
  /** All of the view: its run, the open step, what the last step used. */
  readonly view: View;
  /** Absent until it was read once. */
  readonly state: State | undefined;
  readonly reason: Reason | undefined;
  /** What it asks people: approvals, questions, plans. */
  readonly waits: readonly WaitInfo[];
  /** Its steps with what each has cost, the latest first; empty where they are not asked for. */
  readonly steps: readonly StepInfo[];
  /** All that is known of where it stands: totals, the run, everything it waits for. */
  readonly session: SessionInfo | undefined;
  /** The server refuses, or cannot be reached just now. */
  readonly error: Error | undefined;
}

const nothingShown = still<Shown>({ view: emptyView, refused: undefined });
const nothingRead = { data: undefined, error: undefined };
const noInfo = still<Read<SessionInfo>>(nothingRead);
const noSteps = still<Read<readonly StepInfo[]>>(nothingRead);
const none: readonly never[] = [];

/**
 * A session, as it goes on.
 *
 * @param sessionId without one nothing is shown, as before the first message
 */
export function useSession(
  sessionId: string | undefined,
  { steps: withSteps = false }: UseSessionOptions = {},
): UseSession {
  const deployment = useDeployment();
  const kept = sessionId === undefined ? undefined : sessionStore(deployment, sessionId);
  const { view, refused } = useStore(kept?.shown ?? nothingShown);
  const info = useStore(kept?.info ?? noInfo);
  const steps = useStore((withSteps && kept?.steps) || noSteps);
  const actions = useMemo(() => actionsOf(deployment, sessionId), [deployment, sessionId]);
  const session = info.data;
  const waits = useMemo(() => session?.waits.filter(isForPeople) ?? none, [session]);
  return {
    ...actions,
    items: view.items,
    view,
    state: session?.state,
    reason: session?.reason,
    waits,
    steps: steps.data ?? none,
    session,
    error: refused ?? info.error ?? steps.error,
  };
}

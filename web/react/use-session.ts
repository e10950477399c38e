import { useMemo } from 'react';
import type { WaitInfo } from '../../shared/contract/http.ts';
import type { Reason, State } from '../../shared/contract/session.ts';
import type { StepInfo } from '../../shared/contract/steps.ts';
import { isForPeople } from '../../shared/contract/waits.ts';
import type { SessionInfo } from '../client/answers.ts';
import { emptyView, type Item, type View } from '../client/view.ts';
import { actionsOf, type SessionActions } from './actions.ts';
import type { Read } from './polled.ts';
import { useDeployment } from './provider.ts';
import { type Shown, sessionStore } from './session-store.ts';
import { still, useStore } from './use-store.ts';

/** Options of `useSession`. */
export interface UseSessionOptions {
  /**
   * Whether to include its latest steps, at most 100: one more request for each step.
   * @default false
   */
  readonly steps?: boolean;
  /**
   * Whether text that streams is revealed at an even pace, at most 350 ms behind what has arrived; otherwise as it arrives.
   * @default true
   */
  readonly smooth?: boolean;
}

/** A session as it is shown, with its actions. The functions are stable. */
export interface UseSession extends SessionActions {
  /** Messages and calls, oldest first, as they arrive. */
  readonly items: readonly Item[];
  /** The whole view: its run, the open step, the usage of the last step. */
  readonly view: View;
  /** Absent until the first read. */
  readonly state: State | undefined;
  readonly reason: Reason | undefined;
  /** Its requests to people: approvals, questions, plans. */
  readonly waits: readonly WaitInfo[];
  /** Its steps with their costs, latest first; empty unless they are requested. */
  readonly steps: readonly StepInfo[];
  /** Its full state: totals, the run, all waits. */
  readonly session: SessionInfo | undefined;
  /** Set if the server refuses, or cannot be reached right now. */
  readonly error: Error | undefined;
}

const nothingShown = still<Shown>({ view: emptyView, refused: undefined });
const nothingRead = { data: undefined, error: undefined };
const noInfo = still<Read<SessionInfo>>(nothingRead);
const noSteps = still<Read<readonly StepInfo[]>>(nothingRead);
const none: readonly never[] = [];

/**
 * A live session.
 *
 * @param sessionId without one nothing is shown, as before the first message
 */
export function useSession(
  sessionId: string | undefined,
  { steps: withSteps = false, smooth = true }: UseSessionOptions = {},
): UseSession {
  const deployment = useDeployment();
  const kept = sessionId === undefined ? undefined : sessionStore(deployment, sessionId);
  const { view, refused } = useStore((smooth ? kept?.smooth : kept?.shown) ?? nothingShown);
  const info = useStore(kept?.info ?? noInfo);
  const steps = useStore((withSteps && kept?.steps) || noSteps);
  const actions = useMemo(() => actionsOf(deployment, sessionId), [deployment, sessionId]);
  const session = info.data;
  const waits = useMemo(() => session?.waits.filter(({ kind }) => isForPeople(kind)) ?? none, [session]);
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

/** The data of one session while a component shows it. */

import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { StepInfo } from '../../shared/contract/steps.ts';
import type { SessionInfo } from '../client/answers.ts';
import { smooth } from '../client/smooth.ts';
import { emptyView, type View } from '../client/view.ts';
import { watchSession } from '../client/watch.ts';
import type { Deployment } from './deployment.ts';
import { type Polled, polled } from './polled.ts';
import { type Store, store } from './store.ts';

/** Ms between two reads of a session's state. Its events report more, and sooner, but an expired wait sends no event. */
const LOOK_MS = 5_000;
/** Ms between two reads of the steps, which are also read when one ends. */
const STEPS_LOOK_MS = 30_000;
/** Most steps that are shown: the latest. */
const STEPS = 100;

/** The conversation of a session. */
export interface Shown {
  readonly view: View;
  /** Set if the server refuses to show it. */
  readonly refused: Error | undefined;
}

/** The stores of one session. */
export interface SessionStore {
  readonly shown: Store<Shown>;
  /** The same, with text that grows at an even pace. */
  readonly smooth: Store<Shown>;
  readonly info: Polled<SessionInfo>;
  /** The latest first. */
  readonly steps: Polled<readonly StepInfo[]>;
}

/** The stores of a session. A client has one subscription of a session, so all components that show it share the same stores. */
export const sessionStore = (deployment: Deployment, sessionId: string): SessionStore =>
  deployment.kept(`session ${sessionId}`, () => makeStore(deployment, sessionId));

function makeStore(deployment: Deployment, sessionId: string): SessionStore {
  const info = polled(
    async () => deployment.client.session(sessionId),
    () => LOOK_MS,
  );
  const steps = polled(
    async () => (await deployment.client.steps(sessionId, { order: 'newest', limit: STEPS })).steps,
    () => STEPS_LOOK_MS,
  );
  const shown = store<Shown>({ view: emptyView, refused: undefined }, (set) => {
    let last: Shown = { view: emptyView, refused: undefined };
    const change = (by: Partial<Shown>) => {
      last = { ...last, ...by };
      set(last);
    };
    try {
      const watch = watchSession(deployment.client, sessionId, {
        onView: (view) => change({ view }),
        onEvent(event) {
          if (!moves(event)) return;
          void info.refresh();
          void steps.refresh();
        },
        onRefused: (refused) => change({ refused }),
      });
      return () => watch.close();
    } catch (error) {
      // Creating the client failed.
      change({ refused: error instanceof Error ? error : new Error(String(error)) });
      return () => {};
    }
  });
  return { shown, smooth: smoothed(shown), info, steps };
}

/** The store of what is shown with text at an even pace. */
const smoothed = ({ subscribe, get, first }: Store<Shown>): Store<Shown> =>
  store(first, (set) => {
    let { refused } = get();
    const { show, close } = smooth((view) => set({ view, refused }));
    const take = () => {
      ({ refused } = get());
      show(get().view);
    };
    const leave = subscribe(take);
    take();
    return () => {
      close();
      leave();
    };
  });

/** Whether the session's state may have changed after this event. */
function moves(event: AgUiEvent): boolean {
  if (event.type === 'CUSTOM') return event.name === 'steploop.decided';
  return ['RUN_STARTED', 'RUN_FINISHED', 'RUN_ERROR', 'STEP_FINISHED'].includes(event.type);
}

/** A session as it is shown, kept up to date: its messages so far, and what is said from then on. */

import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { Client, From, Subscription } from './connect.ts';
import { isFinal, ProblemError } from './http.ts';
import { backoff, sleep } from './time.ts';
import { emptyView, fold, type View } from './view.ts';

/** Who is shown a session. Nothing here may throw. */
export interface Watcher {
  /** The view has changed. Many events may have come since the last time: it is called some 60 times a second at most. */
  readonly onView: (view: View) => void;
  /** Each event from then on, once and in order, before the view that shows it. */
  readonly onEvent?: (event: AgUiEvent) => void;
  /** The server refuses: there is no such session for whoever asks, or the token is no good. Nothing is shown from then on. */
  readonly onRefused?: (error: Error) => void;
}

/** Ms in which events are put into one view: a frame of most screens. */
const FRAME_MS = 16;

/**
 * Shows a session until it is closed: first its messages as they are, then each change. What fails for a moment is tried again. It is
 * the one subscription that a client may have of the session ({@link Client.subscribe}).
 *
 * @example
 * const watch = watchSession(steploop, sessionId, { onView: (view) => draw(view.items) });
 * watch.close();
 */
export function watchSession(
  client: Pick<Client, 'session' | 'messages' | 'subscribe'>,
  sessionId: string,
  { onView, onEvent, onRefused = () => {} }: Watcher,
): { close(): void } {
  const left = new AbortController();
  let view = emptyView;
  let drawing: ReturnType<typeof setTimeout> | undefined;
  let subscription: Subscription | undefined;

  const draw = () => {
    drawing = undefined;
    onView(view);
  };
  const take = (event: AgUiEvent) => {
    view = fold(view, event);
    drawing ??= setTimeout(draw, FRAME_MS);
  };
  const begin = async () => {
    const { messages, ...from } = await patiently(() => joinOf(client, sessionId), left.signal);
    if (left.signal.aborted) return;
    view = fold(view, { type: 'MESSAGES_SNAPSHOT', messages });
    draw();
    const listener = {
      onEvent(event: AgUiEvent) {
        take(event);
        onEvent?.(event);
      },
      onAside: take,
      onRefused,
    };
    subscription = client.subscribe(sessionId, listener, from);
  };
  begin().catch((error: Error) => {
    if (!left.signal.aborted) onRefused(error);
  });

  return {
    close() {
      left.abort();
      clearTimeout(drawing);
      subscription?.close();
    },
  };
}

/** What `attempt` comes to, once nothing but a refusal keeps it from it. */
async function patiently<T>(attempt: () => Promise<T>, left: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (left.aborted || (error instanceof ProblemError && isFinal(error.problem))) throw error;
    }
    await sleep(backoff(tries, 200, 10_000), left);
  }
}

type Join = From & Required<Pick<From, 'messages'>>;

/** Where following begins. Messages and cursor belong together: while steps end between the two looks, they are looked at again. */
async function joinOf(client: Pick<Client, 'session' | 'messages'>, sessionId: string): Promise<Join> {
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

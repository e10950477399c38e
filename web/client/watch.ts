/** A session as it is shown, kept up to date: its messages so far, and everything after them. */

import type { AgUiEvent } from '../../shared/contract/events.ts';
import type { Client, From, Subscription } from './connect.ts';
import { isFinal, ProblemError } from './problem.ts';
import { backoff, sleep } from './time.ts';
import { emptyView, fold, type View } from './view.ts';

/** Receives a session's view. Its functions must not throw. */
export interface Watcher {
  /** The view has changed, perhaps by many events: it is called at most about 60 times a second. */
  readonly onView: (view: View) => void;
  /** Each event from then on, once and in order, before the view that shows it. */
  readonly onEvent?: (event: AgUiEvent) => void;
  /** The server refuses: the session does not exist for this caller, or the token is invalid. Nothing is shown from then on. */
  readonly onRefused?: (error: Error) => void;
}

/** Ms in which events are combined into one view: a frame of most screens. */
const FRAME_MS = 16;

/**
 * Shows a session until it is closed: first its current messages, then each change. Temporary failures are retried.
 * This is the client's one subscription to the session ({@link Client.subscribe}).
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

/** The result of `attempt`, retried until it succeeds or is refused. */
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

/** The starting point. Messages and cursor must match: if a step ends between the two reads, they are read again. */
async function joinOf(client: Pick<Client, 'session' | 'messages'>, sessionId: string): Promise<Join> {
  for (let tries = 0; tries < 5; tries++) {
    const { cursor, run } = await client.session(sessionId);
    const messages = await client.messages(sessionId);
    const then = await client.session(sessionId);
    if (then.cursor === cursor)
      return { after: cursor, messages, ...(run && !run.ended && { runId: run.id }) };
  }
  // The session is faster than the reads: start from the beginning of the log.
  return { messages: [] };
}

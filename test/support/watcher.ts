import type { AgUiEvent } from '../../shared/contract/events.ts';
import { type Client, type ConnectOptions, connect } from '../../web/client/connect.ts';
import { emptyView, fold, type View } from '../../web/client/view.ts';
import type { Embedded } from './embedded.ts';

/** A real client on a session: the events that it got, and what a person would see. */
export interface Watcher extends Disposable {
  readonly client: Client;
  readonly events: readonly AgUiEvent[];
  view(): View;
  /** The texts of the messages on screen, by role. */
  texts(role: 'user' | 'assistant'): string[];
  /** Resolves when an event matches. */
  seen(fits: (event: AgUiEvent) => boolean): Promise<AgUiEvent>;
}

export function watch(world: Embedded, sessionId: string, options: Partial<ConnectOptions> = {}): Watcher {
  const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
  const client = connect({ httpUrl, socketUrl, token: world.token, ...options });
  const events: AgUiEvent[] = [];
  const waiting = new Set<{ fits: (event: AgUiEvent) => boolean; resolve: (event: AgUiEvent) => void }>();
  let view = emptyView;
  client.subscribe(sessionId, {
    onEvent(event) {
      events.push(event);
      view = fold(view, event);
      for (const waiter of waiting) if (waiter.fits(event)) waiter.resolve(event);
    },
  });
  return {
    client,
    events,
    view: () => view,
    texts: (role) =>
      view.items.flatMap((item) =>
        item.kind === 'message' && item.role === role && item.text ? [item.text] : [],
      ),
    seen: (fits) =>
      new Promise((resolve) => {
        const before = events.find(fits);
        if (before) resolve(before);
        else waiting.add({ fits, resolve });
      }),
    [Symbol.dispose]: () => client.close(),
  };
}

/** The one terminal event of a run. */
export const isTerminal = (event: AgUiEvent): boolean =>
  event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';

/** Follows one run over a WebSocket until it ends. */

import type { AgUiEvent, RunResult } from '../shared/contract/events.ts';
import type { Client } from '../web/client/connect.ts';

export interface Watched {
  readonly sessionId: string;
  /** Absent: the session's first run. */
  readonly runId?: string;
}

/**
 * Shows the events of the run from the first on, and resolves with its result. Rejects if the subscription is refused, and when
 * `signal` aborts.
 */
export function watch(
  client: Client,
  { sessionId, runId }: Watched,
  show: (event: AgUiEvent) => void,
  signal?: AbortSignal,
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    let current: string | undefined;
    let result: RunResult | undefined;
    const subscription = client.subscribe(sessionId, {
      onEvent(event) {
        if (event.type === 'RUN_STARTED') current = event.runId;
        if (current === undefined || (runId !== undefined && current !== runId)) return;
        show(event);
        if (event.type === 'CUSTOM' && event.name === 'steploop.ended') result = event.value;
        if (event.type !== 'RUN_FINISHED' && event.type !== 'RUN_ERROR') return;
        subscription.close();
        if (event.type === 'RUN_FINISHED') resolve(event.result);
        else if (result) resolve(result);
        else reject(new Error(`the run failed: ${event.message}`));
      },
      onRefused: reject,
    });
    signal?.addEventListener('abort', () => {
      subscription.close();
      reject(signal.reason);
    });
  });
}

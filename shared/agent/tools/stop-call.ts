/** Stops what a call has begun outside. Loaded by the first call of a tool that can. */

import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { Callers } from '../session/caller.ts';
import { configFor } from './asked-for.ts';
import { servicesFor } from './services.ts';
import type { StopContext, Tool } from './tool.ts';

/** Time in ms for it: less than a worker reserves for writing its result. */
const STOP_MS = 4_000;

/** The call, and the parts of its step, or of its worker, that a stop needs. */
export interface Stopping
  extends Pick<Ports, 'config' | 'blobs' | 'egress' | 'memories' | 'clock' | 'meter'> {
  readonly key: SessionKey;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly callers: Callers;
}

/**
 * Has a tool stop what one of its calls has begun. A stop that fails or takes too long is reported, and changes nothing of the
 * call's result.
 */
export async function stopCall(tool: Tool, on: Stopping): Promise<void> {
  const { key, callId, idempotencyKey, callers, config, clock, meter } = on;
  const startedAt = clock.now();
  const over = new AbortController();
  const done = new AbortController();
  const context: StopContext<string, string> = {
    ...{ ...key, idempotencyKey, signal: over.signal },
    ...configFor({ ...tool, called: `the tool ${tool.name}` }, config),
    services: servicesFor({ ...key, ...callers, idempotencyKey }, on, over.signal),
  };
  const stopped = Promise.resolve().then(() => tool.stop?.(context));
  const limit = clock.sleep(STOP_MS, done.signal).then(() => {
    if (!done.signal.aborted) throw new Error(`it did not stop within ${STOP_MS / 1000} s`);
  });
  await Promise.race([stopped, limit]).catch((error: unknown) => {
    const durationMs = clock.now() - startedAt;
    meter.callFailed({ key, tool: tool.name, callId, code: 'failed', durationMs, error });
  });
  done.abort('done');
  over.abort(new Error('the stop of the call is over'));
}

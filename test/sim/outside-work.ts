/** Work outside that calls begin: it goes on until it is stopped, whatever becomes of the call's worker. */

import type { StopContext, ToolContext } from '../../shared/agent/tools/tool.ts';
import type { Outside, SessionFacts } from './ledger.ts';
import type { World } from './world.ts';

const outsideOf = ({ outside }: SessionFacts, idempotencyKey: string): Outside => {
  const callId = idempotencyKey.split(':').at(-2) ?? '';
  const known = outside.get(callId) ?? { begun: [], stopped: [], aborted: [] };
  outside.set(callId, known);
  return known;
};

/** Begins something outside, and notes if the call is told to stop before it has ended. */
export async function beginOutside(
  { ledger, scheduler }: World,
  {
    tenant,
    sessionId,
    idempotencyKey,
    signal,
  }: Pick<ToolContext, 'tenant' | 'sessionId' | 'idempotencyKey' | 'signal'>,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const outside = outsideOf(ledger.facts({ tenant, sessionId }), idempotencyKey);
  const at = scheduler.events;
  outside.begun.push(at);
  const abort = () => {
    if (signal.reason === 'cancelled') outside.aborted.push(at);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await run();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export function stopOutside(
  { ledger, scheduler }: World,
  { tenant, sessionId, idempotencyKey }: Pick<StopContext, 'tenant' | 'sessionId' | 'idempotencyKey'>,
): void {
  outsideOf(ledger.facts({ tenant, sessionId }), idempotencyKey).stopped.push(scheduler.events);
}

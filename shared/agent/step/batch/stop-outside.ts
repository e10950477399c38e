import { allEnded } from '../../plain/all-ended.ts';
import { callersOf } from '../../session/caller.ts';
import { toolOf } from '../../session/facts.ts';
import type { ToolResult } from '../../session/slots.ts';
import { idempotencyKey } from '../../tools/execute.ts';
import { stopCall } from '../../tools/stop-call.ts';
import type { Step } from '../open/step-context.ts';
import type { BatchPlan } from './planned-call.ts';

/**
 * Before the results of a batch count: what its calls have begun outside is stopped if their results come from no run of them. A step
 * that finds them stored stops it again, since a worker may have begun a call after the owner that has stored them.
 */
export async function stopOutside(
  { tools, loaded, io, session }: Pick<Step, 'tools' | 'loaded' | 'io' | 'session'>,
  slot: number,
  { calls }: BatchPlan,
  results: readonly ToolResult[],
): Promise<void> {
  const given = calls.flatMap(({ call }) => {
    const tool = toolOf(tools, call);
    const outcome = results.find(({ callId }) => callId === call.id)?.outcome;
    // A call that was refused or canceled may have asked a person before, in the middle of its work.
    const hasEnded = outcome === 'ok' || outcome === 'error';
    return tool?.stop && !hasEnded ? [{ call, tool }] : [];
  });
  if (given.length === 0) return;
  const { key } = loaded;
  const on = { ...io, key, callers: callersOf(key.tenant, session.run) };
  const stops = given.map(({ call, tool }) =>
    stopCall(tool, { ...on, callId: call.id, idempotencyKey: idempotencyKey(key, slot, call) }),
  );
  await allEnded(stops);
}

import { readOnce } from '../plain/read-once.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import { type Execution, execute, idempotencyKey } from './execute.ts';
import type { Tool } from './tool.ts';

/** Loads the code that stops what calls have begun outside, once per process. Few tools can stop it. */
export const readStoppingCalls = readOnce(() => import('./stop-call.ts'));

/**
 * As {@link execute}; what the call has begun outside is stopped if its run is. If only its owner has changed, the next one runs the
 * call again, and needs what it has begun.
 */
export async function executeOrStop(
  call: ToolCall,
  tool: Tool | undefined,
  on: Execution,
): Promise<ToolResult> {
  const result = await execute(call, tool, on);
  if (tool?.stop && on.signal.aborted && on.signal.reason === 'cancelled') {
    const of = { callId: call.id, idempotencyKey: idempotencyKey(on.key, on.slot, call) };
    await (await readStoppingCalls()).stopCall(tool, { ...on, ...of });
  }
  return result;
}

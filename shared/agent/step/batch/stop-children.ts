/** Stops children of a batch that is closed. Loaded by the first batch that may have some. */

import { allEnded } from '../../plain/all-ended.ts';
import { defined } from '../../plain/defined.ts';
import { childIdOf } from '../../session/parent.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { laterId } from '../../tools/deferred-results.ts';
import { stopChild } from '../end/stop-child.ts';
import type { Step } from '../open/step-context.ts';

/**
 * The results of a batch, before they are stored: every child whose answer is not among them is stopped. Its call is settled
 * first. A process that begins the child after that is too late, since the child's first step finds its call settled and ends;
 * a child that was begun before is found here.
 */
export const withoutOrphans = (
  step: Pick<Step, 'io' | 'loaded' | 'session' | 'tools'>,
  slot: number,
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): Promise<ToolResult[]> =>
  allEnded(
    results.map((result) => {
      const call = calls.find(({ id }) => id === result.callId);
      return call && !result.child && mayHaveChild(step, call) ? orphaned(step, slot, call, result) : result;
    }),
  );

/** Also for a tool that is gone with a deploy, if the batch has waited for its child. */
const mayHaveChild = (
  { tools, session: { batch } }: Pick<Step, 'tools' | 'session'>,
  { id, name }: ToolCall,
): boolean =>
  tools.some((tool) => tool.delegates && tool.name === name) ||
  (batch?.deferred?.some(
    ({ callId, awaits }) => callId === id && awaits?.kind === 'answer' && awaits.child,
  ) ??
    false);

async function orphaned(
  { loaded: { key }, io }: Pick<Step, 'loaded' | 'io'>,
  slot: number,
  call: ToolCall,
  result: ToolResult,
): Promise<ToolResult> {
  const id = laterId(key, slot, call);
  const { stands } = await io.later.settle(key, id, { result });
  // It has ended, and its answer came too late: what it has used counts.
  if (stands.result.child) return { ...result, child: stands.result.child };
  const child = { tenant: key.tenant, sessionId: childIdOf(id) };
  await stopChild(child, id, io);
  const view = await io.sessions.read(child);
  if (!view) return result;
  const used = view.session.run?.totals;
  return { ...result, child: { sessionId: child.sessionId, ...defined({ used }) } };
}

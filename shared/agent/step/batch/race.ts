/** Races: the first good answer of a batch ends its other waits (docs/shapes.md). Loaded by the first call that is answered later. */

import { allEnded } from '../../plain/all-ended.ts';
import type { Ports } from '../../ports/ports.ts';
import { toolOf } from '../../session/facts.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { notRun } from '../../tools/execute.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Loaded } from '../open/load.ts';

/** The result of a call that is not needed any more. */
const LOST =
  'Error [cancelled]: another agent has answered first, so this one was stopped. It may or may not have taken effect.';

/** Whether a good answer to a call of the race stands. Answers do not change, so every later step sees the same. */
export async function isWon({ key, view }: Loaded, { later }: Pick<Ports, 'later'>): Promise<boolean> {
  const waits = view.session.batch?.waits ?? [];
  const ids = waits.flatMap(({ id, races }) => (races ? [id] : []));
  const settled = Object.values(await later.settled(key, ids));
  return settled.some(({ result }) => result.outcome === 'ok');
}

/**
 * The results of a batch. If it is a race that is won, each other call is settled as lost, unless an answer of its own has come
 * meanwhile: those that wait, and those that were to begin, since a dead owner may have begun them. The children of lost calls are
 * stopped when the batch is closed (`stop-children.ts`).
 *
 * @param found the results that are known; those of calls that still wait have `awaits`
 * @param settle settles a call, and returns the result that stands
 */
export async function withoutLosers(
  calls: readonly ToolCall[],
  found: readonly ToolResult[],
  tools: readonly Pick<Tool, 'name' | 'delegates'>[],
  settle: (call: ToolCall, lost: ToolResult) => Promise<ToolResult>,
): Promise<readonly ToolResult[]> {
  const known = new Map(found.map((result) => [result.callId, result]));
  const racing = calls.filter(
    (call) => isRacing(known.get(call.id)) || toolOf(tools, call)?.delegates?.shape?.races,
  );
  const won = racing.some(({ id }) => isGood(known.get(id)));
  if (!won) return found;
  const open = racing.filter(({ id }) => known.get(id)?.awaits || !known.has(id));
  const lost = await allEnded(open.map((call) => settle(call, notRun(call, 'unknown', LOST))));
  return [...lost, ...found.filter(({ callId }) => !open.some(({ id }) => id === callId))];
}

const isGood = (result: ToolResult | undefined): boolean => result?.outcome === 'ok' && !result.awaits;

const isRacing = (result: ToolResult | undefined): boolean =>
  result?.awaits?.kind === 'answer' && result.awaits.races === true;

/** Races: the first good answer of a batch ends its other waits (docs/shapes.md). Loaded by the first call that is answered later. */

import { allEnded } from '../../plain/all-ended.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { notRun } from '../../tools/execute.ts';
import type { Loaded } from '../open/load.ts';

/** The result of a call that is not needed any more. */
const LOST = 'Error [cancelled]: another agent has answered first, so this one was stopped.';

/** Whether a good answer to a call of the race stands. Answers do not change, so every later step sees the same. */
export async function isWon({ key, view }: Loaded, { later }: Pick<Ports, 'later'>): Promise<boolean> {
  const waits = view.session.batch?.waits ?? [];
  const ids = waits.flatMap(({ id, races }) => (races ? [id] : []));
  const settled = Object.values(await later.settled(key, ids));
  return settled.some(({ result }) => result.outcome === 'ok');
}

/**
 * The results of a batch. If it is a race that is won, each call that still waits is settled as lost, unless an answer of its own has
 * come meanwhile. The children of lost calls are stopped when the batch is closed (`stop-children.ts`).
 *
 * @param waiting the results of calls while they waited
 * @param settle settles a call, and returns the result that stands
 */
export function withoutLosers(
  calls: readonly ToolCall[],
  came: readonly ToolResult[],
  waiting: readonly ToolResult[],
  settle: (call: ToolCall, lost: ToolResult) => Promise<ToolResult>,
): Promise<readonly ToolResult[]> {
  const racing = new Set(waiting.flatMap((one) => (isRacing(one) ? [one.callId] : [])));
  const won = came.some(({ callId, outcome, awaits }) => !awaits && outcome === 'ok' && racing.has(callId));
  return allEnded(
    came.map(async (result) => {
      const call = calls.find(({ id }) => id === result.callId);
      return won && call && isRacing(result) ? settle(call, notRun(call, 'cancelled', LOST)) : result;
    }),
  );
}

const isRacing = ({ awaits }: ToolResult): boolean => awaits?.kind === 'answer' && awaits.races === true;

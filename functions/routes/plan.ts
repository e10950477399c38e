import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Calling } from '../../shared/agent/session/made.ts';
import { callsOf } from '../../shared/agent/session/reply.ts';
import { changeDigest } from '../../shared/agent/step/batch/plan-id.ts';
import { showChanges } from '../../shared/agent/tools/show-changes.ts';
import type { Tool } from '../../shared/agent/tools/tool.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { SessionKey } from '../../shared/contract/session.ts';

/** A whole plan, for the person who decides on it, in about `room` bytes. */
export async function wholePlan(
  key: SessionKey,
  calling: Calling,
  tools: readonly Tool[],
  room: number,
  { blobs }: Pick<Ports, 'blobs'>,
): Promise<Pick<WaitDetails, 'whole' | 'isWhole' | 'sent' | 'isAsAsked'>> {
  const calls = callsOf(calling);
  const { changes = [] } = calling;
  const { message, cut } = await showChanges({ key, calls, changes, tools, blobs }, room, room);
  return {
    whole: message,
    isWhole: !cut,
    sent: calls.map(({ name: tool, input }) => ({ tool, input })),
    isAsAsked: calls.every((call, i) => {
      const tool = tools.find(({ name }) => name === call.name);
      return changes[i]?.digest === changeDigest(call, tool, changes[i]?.files);
    }),
  };
}

import { toSnapshot } from '../shared/agent/events/snapshot.ts';
import { defined } from '../shared/agent/plain/defined.ts';
import type { ModelRequest } from '../shared/agent/ports/provider.ts';
import { callsOf } from '../shared/agent/session/reply.ts';
import type { AgUiEvent, SnapshotMessage } from '../shared/contract/events.ts';
import type { AgentWorld } from './agent-world.ts';
import { filesOf } from './files.ts';
import type { Rehearsed, RehearsedCall, ToolStart } from './rehearsal.ts';

export async function resultOf(
  world: AgentWorld,
  requests: readonly ModelRequest[],
  left: number,
  starts: readonly ToolStart[],
): Promise<Omit<Rehearsed, 'memory'>> {
  const [{ session }, slots, events] = await Promise.all([world.view(), world.slots(), world.events()]);
  const transcript = toSnapshot(slots);
  const results = new Map(
    slots.flatMap((slot) =>
      slot.kind === 'tools' ? slot.results.map((result) => [result.callId, result] as const) : [],
    ),
  );
  const callsIn = (by: 'reply' | 'made') =>
    slots
      .flatMap((slot) => (slot.kind === 'model' ? callsOf(slot[by]) : []))
      .flatMap((call): RehearsedCall[] => {
        const result = results.get(call.id);
        return result ? [{ ...call, outcome: result.outcome, content: result.content }] : [];
      });
  return {
    state: session.state,
    ...defined({ reason: session.reason }),
    ...answerIn(events, transcript),
    transcript,
    events,
    verdicts: slots.flatMap(({ verdicts }) => verdicts),
    calls: callsIn('reply'),
    made: callsIn('made'),
    starts,
    requests,
    files: await filesOf(world.key, session, world),
    left,
    steps: slots.filter((slot) => slot.kind === 'model' && slot.reply).length,
    totals: session.totals,
    outside: world.faults.total(),
  };
}

/** The joined text of an answer that was cut and continued, else the assistant's last message. */
function answerIn(
  events: readonly AgUiEvent[],
  transcript: readonly SnapshotMessage[],
): Pick<Rehearsed, 'answer' | 'message' | 'object'> {
  const ended = events.findLast((event) => event.type === 'RUN_FINISHED');
  const result = events
    .flatMap((event) => (event.type === 'CUSTOM' && event.name === 'steploop.ended' ? [event.value] : []))
    .at(-1);
  const last = transcript.findLast((message) => message.role === 'assistant');
  const answer = ended?.result.answer?.text ?? (last?.role === 'assistant' ? last.content : undefined);
  return {
    ...defined({ answer, message: result?.message, object: result?.object }),
  };
}

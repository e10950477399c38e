/** Progress of a child, for those who follow its parent. Loaded by the first report. */

import type { SessionKey } from '../../../contract/session.ts';
import { frameBeside, tellBeside } from '../../events/beside.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ParentCall } from '../../session/parent.ts';
import type { Run } from '../../session/session.ts';

/** Tells those who follow the session of a call how far its child is. */
export async function tellParentProgress(
  { tenant }: SessionKey,
  { sessionId, id, callId, name }: ParentCall,
  { steps, toolCalls }: Pick<Run, 'steps' | 'toolCalls'>,
  io: Pick<Ports, 'clock' | 'sessions' | 'log' | 'sockets'>,
): Promise<void> {
  const key = { tenant, sessionId };
  const view = await io.sessions.read(key);
  if (!view?.session.batch?.waits.some((wait) => wait.id === id)) return;
  const message = `${name}: ${count(steps, 'step')}, ${count(toolCalls, 'tool call')}`;
  const above = view.session.eventSeq + steps;
  const frame = frameBeside(view.session, { toolCallId: callId, message }, io.clock.now(), above);
  if (frame) await tellBeside(key, view.fence.subscribers, frame, io);
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

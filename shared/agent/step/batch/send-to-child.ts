/** Messages to sessions that work in the background (docs/children.md). Loaded with the code that begins them. */

import { allEnded } from '../../plain/all-ended.ts';
import { hash } from '../../plain/hash.ts';
import { extrasOf, type InboxEvent } from '../../ports/inbox.ts';
import { runOf } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { speakersOf } from '../../session/speakers.ts';
import { laterId } from '../../tools/deferred-results.ts';
import { notRun } from '../../tools/execute.ts';
import type { Postponing } from '../../tools/later.ts';
import { readInput } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';
import type { WritingPart } from '../open/step-context.ts';
import type { BatchPlan } from './planned-call.ts';

/** Texts that models read. */
const said = {
  sent: (name: string) => `Sent. ${name} reads it at its next step.`,
  none: 'no agent works for you in the background now.',
  other: (given: string, known: readonly string[]) =>
    `${given} is not the session of an agent that works for you in the background. Those are: ${known.join(', ')}.`,
  ended: (name: string) =>
    `${name} has ended, and its report comes as a message. If there is more to do, ask it again with a new task.`,
  full: 'too many messages wait for it. Wait until it has read some.',
  /** The message is quoted, so that no line of it reads as ours or as a person's. */
  message: (text: string) =>
    `[steploop] The agent that has given you this task writes:\n\n${text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n')}`,
};

const digits = (n: number): string => String(n).padStart(6, '0');

/**
 * Sends the message of a call, once: its id follows from the call. An attempt that cannot store the reply sends nothing. The
 * agent's run reads the message even if that comes with its last words; a session that has ended ignores it.
 */
export async function sendToChild(
  { loaded: { key }, io }: WritingPart,
  { calls, session }: Pick<BatchPlan, 'calls' | 'session'>,
  call: ToolCall,
  tool: Tool,
  { slot, slotKept }: Pick<Postponing, 'slot' | 'slotKept'>,
): Promise<ToolResult> {
  const refused = (why: string) => notRun(call, 'refused', `Error [refused]: nothing was sent: ${why}`);
  const reading = readInput(call, tool);
  if (reading.kind !== 'read') return refused('say to which agent, and what.');
  const { agent, message } = reading.value as { agent: string; message: string };
  const { background = [] } = session;
  const to = background.find(({ sessionId }) => sessionId === agent);
  if (!to)
    return refused(
      background.length === 0
        ? said.none
        : said.other(
            agent,
            background.map(({ name, sessionId }) => `${sessionId} (${name})`),
          ),
    );
  await slotKept;
  const child = { tenant: key.tenant, sessionId: agent };
  const nth = calls.findIndex((one) => one.call === call);
  const idOf = (one: ToolCall, n: number) => `sent-${digits(slot)}-${digits(n)}-${laterId(key, slot, one)}`;
  const id = idOf(call, nth);
  const view = await io.sessions.read(child);
  // An earlier attempt at the call may have sent it before the end.
  const hasEnded = !view || view.session.run?.ended;
  if (hasEnded && (!view || (await io.inbox.read(child, [id])).length === 0))
    return refused(said.ended(to.name));
  const ok: ToolResult = {
    ...{ callId: call.id, name: call.name, outcome: 'ok', durationMs: 0 },
    content: said.sent(to.name),
  };
  if (hasEnded) return ok;
  const [first = {}, ...carries] = speakersOf(runOf(session));
  const text = said.message(message.toWellFormed());
  const now = io.clock.now();
  const before = calls
    .slice(0, nth)
    .flatMap((one, n) => (one.call.name === call.name ? idOf(one.call, n) : []));
  const earlier = before.length > 0 ? await io.inbox.read(child, before) : [];
  // Another worker, with another clock, may have sent the earlier ones. Messages of the same time are read in the order of their ids.
  const at = Math.max(now, ...earlier.map((one) => one.at));
  const event: InboxEvent = {
    ...{ id, text, digest: hash(text), at },
    ...extrasOf({ internal: 'parent', ...first, carries }),
  };
  const told = await io.inbox.accept(child, event, now);
  if (told.kind === 'full') return refused(said.full);
  if (told.kind === 'unknown') return refused(said.ended(to.name));
  if (told.kind === 'conflict') throw new Error(`${id} was used for another message`);
  const { wake, began } = told;
  await allEnded([wake && io.queue.send(wake), began && io.listings.moved(child, began)]);
  return ok;
}

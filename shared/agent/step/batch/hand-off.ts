/** Calls that give the session to another agent (docs/handoffs.md). Loaded by the first such call in a process. */

import { isRecord } from '../../plain/merge.ts';
import { MAX_HANDOFFS } from '../../session/handoffs.ts';
import { runOf } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { speakersOf } from '../../session/speakers.ts';
import { notRun } from '../../tools/execute.ts';
import { readInput } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Step } from '../open/step-context.ts';
import type { BatchPlan } from './planned-call.ts';

/** Texts that a model reads. The next one to read them is that of the agent that goes on. */
const said = {
  wrong: 'say what the other agent needs to know, as { "note": "…" }.',
  second: 'an earlier call of this reply gives the conversation to another agent.',
  often: `the conversation was handed over ${MAX_HANDOFFS} times without an answer. Answer it yourself, or tell the user what you need for that.`,
  noAgent: (name: string) => `there is no agent ${name} any more. Answer it yourself.`,
  given: (to: string, from: string, note: string) =>
    `You are ${to} now: ${from} has handed this conversation to you. Go on with what the user asks, by your own instructions and with your own tools; do not introduce the change at length.\n\nThe note of ${from}:\n${note}`,
};

/**
 * Stores the definition of the agent that goes on, and names it in the result: the batch that has the result gives the session
 * away. An attempt that is repeated after a deploy may name a newer definition; the result that is stored counts.
 */
export async function handOff(
  { io, tools }: Pick<Step, 'io' | 'tools'>,
  { calls, session }: Pick<BatchPlan, 'calls' | 'session'>,
  call: ToolCall,
  tool: Tool,
): Promise<ToolResult> {
  const { handsOffTo: to } = tool;
  if (to === undefined) throw new Error(`${tool.name} hands nothing over`);
  const refused = (why: string) => notRun(call, 'refused', `Error [refused]: ${call.name}: ${why}`);
  const reading = readInput(call, tool);
  const note = reading.kind === 'read' ? noteIn(reading.value) : undefined;
  if (note === undefined) return refused(said.wrong);
  const handing = calls.filter((one) =>
    tools.some(({ name, handsOffTo }) => handsOffTo && name === one.call.name),
  );
  if (handing[0]?.call !== call) return refused(said.second);
  if ((runOf(session).handoffs ?? 0) >= MAX_HANDOFFS) return refused(said.often);
  if (!io.children) throw new Error('this function gives no sessions to other agents');
  const run = runOf(session);
  const [first] = speakersOf(run);
  const handedTo = await io.children.define(session.key.tenant, to, { at: run.startedAt, ...first });
  if (!handedTo) return refused(said.noAgent(to));
  return {
    ...{ callId: call.id, name: call.name, outcome: 'ok', durationMs: 0 },
    content: said.given(to, session.agent, note),
    handedTo,
  };
}

const noteIn = (input: unknown): string | undefined =>
  isRecord(input) && typeof input.note === 'string' && input.note !== '' ? input.note : undefined;

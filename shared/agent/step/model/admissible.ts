import type { Parsing } from '../../config/replies.ts';
import { type Reply, sendable, textOf, withoutCalls } from '../../session/reply.ts';
import { separateReasoning, thinkingOf } from './reasoning.ts';
import { writtenCall } from './written-call.ts';

/**
 * The reply as it may enter history: calls that must not run are taken out, and the rest can be sent back to the model as it
 * is.
 *
 * - A cut reply keeps its text and loses its calls, which may be cut too, unless its provider knows that they are whole.
 * - A paused turn also loses its calls; work that the server itself is doing is in blocks of other kinds, which stay.
 * - A refusal keeps nothing.
 * - `end_turn` with calls runs them: some servers of this API report this. An unknown stop reason is also treated as the end of
 *   a turn.
 */
export function admissible(reply: Reply): Reply {
  switch (reply.stop) {
    case 'tool_use':
    case 'end_turn':
    case 'unknown':
      return { ...reply, content: sendable(reply.content) };
    case 'max_tokens':
      if (reply.callsComplete && reply.calls.length > 0)
        return { ...reply, content: sendable(reply.content) };
      return {
        ...withoutCalls(reply),
        ...((reply.cutCalls || reply.calls.length > 0) && { cutCalls: true }),
      };
    case 'context_limit':
    case 'interrupted':
    case 'deadline':
    case 'pause_turn':
      return withoutCalls(reply);
    case 'refusal':
      return { ...reply, content: [], calls: [] };
    default:
      return reply.stop satisfies never;
  }
}

/**
 * The reply with its parts told apart: tagged thinking is separated, and a call that was written as text is noticed, even in
 * the middle of a line and beside real calls.
 *
 * @param tools names of the tools that the model was offered
 */
export function parsed(
  reply: Reply,
  { reasoningTags, malformedCalls }: Parsing,
  tools: readonly string[],
): Reply {
  const separated = reasoningTags === 'strip' ? separateReasoning(reply) : reply;
  const thought = separated.reasoning ?? thinkingOf(separated.content);
  const told = textOf(separated.content).trim() !== '' || separated.calls.length > 0;
  const named = !told && thought.trim() !== '' ? { ...separated, reasoning: thought } : separated;
  if (malformedCalls === 'accept' || named.malformed) return named;
  const malformed = writtenCall(textOf(named.content), named.calls, tools);
  return malformed === undefined ? named : { ...named, malformed };
}

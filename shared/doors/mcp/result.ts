/** The result of a call. Pure. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { defined } from '../../agent/plain/defined.ts';
import type { SnapshotMessage } from '../../contract/events.ts';
import type { WaitInfo } from '../../contract/http.ts';
import { printable } from '../../contract/printable.ts';
import type { SessionNow } from '../api.ts';
import { askedOf } from '../asked.ts';
import { lastSaid } from '../said.ts';
import type { AskOutput } from './shapes.ts';

/** The state of a session, as an MCP client and its model read it. */
export function resultOf(session: SessionNow, messages: readonly SnapshotMessage[]): CallToolResult {
  const { sessionId, state, reason, lastEnding } = session;
  const answer = lastSaid(messages);
  const asked = askedOf(session);
  const object = state === 'completed' ? lastEnding?.object : undefined;
  const structuredContent: AskOutput = {
    ...{ session: sessionId, state },
    ...defined({ reason, answer, object }),
    ...(asked.length > 0 && { asks: asked.map(ask) }),
  };
  const lines = [
    ...(answer === undefined ? [] : [answer]),
    ...(object === undefined ? [] : [JSON.stringify(object)]),
    ...asked.flatMap((wait) => howToDecide(sessionId, wait)),
    stands(session),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n\n') }],
    structuredContent: { ...structuredContent },
    ...(hasFailed(session) && { isError: true }),
  };
}

/** A sentence in place of an answer. */
export const refused = (sentence: string): CallToolResult => ({
  content: [{ type: 'text', text: sentence }],
  isError: true,
});

const ask = ({ id, kind, tool, message, expiresAt }: WaitInfo) => ({
  ...{ id, tool, message, expiresAt },
  kind: kind as 'approval' | 'question' | 'plan',
});

const howToDecide = (sessionId: string, { id, kind, tool, message }: WaitInfo): string[] => [
  `It waits for a person (${kind} of ${tool}):\n${printable(message)}`,
  `A person decides it in the console, or with: steploop sessions decide ${sessionId} --wait ${id}`,
];

function stands({ sessionId, state, reason, lastEnding }: SessionNow): string {
  switch (state) {
    case 'completed':
      return `Session ${sessionId}.`;
    case 'waiting_for_input':
      return `Session ${sessionId} waits for people.`;
    case 'idle':
    case 'running':
    case 'waiting_for_tool':
      return `Session ${sessionId} is still at work: ask again with it, and no message.`;
    case 'error':
    case 'cancelled':
    case 'timed_out':
    case 'max_steps':
    case 'budget_exceeded':
      return `Session ${sessionId} has ended without an answer (${reason ?? state})${lastEnding ? `: ${lastEnding.message}` : '.'}`;
    default:
      return state satisfies never;
  }
}

const hasFailed = ({ state }: SessionNow): boolean =>
  !['completed', 'waiting_for_input', 'idle', 'running', 'waiting_for_tool'].includes(state);

/**
 * The window of the simulated model: the length of a request by its server's count, and the thinking that is valid in
 * it.
 */

import { hash } from '../../shared/agent/plain/hash.ts';
import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import type { Failure } from '../../shared/agent/session/reply.ts';
import type { Block } from '../../shared/agent/session/slots.ts';
import { blocksOf } from './invariants/blocks.ts';
import type { ContextWorkload } from './workloads.ts';

/** Tokens of a text by a server's own count. */
const counted = (characters: number, { rate }: ContextWorkload): number => Math.ceil((characters / 4) * rate);

/** Tokens of a request, as its server counts and reports them. */
export const inputOf = ({ system, tools, messages }: ModelRequest, context: ContextWorkload): number =>
  counted(system.length + JSON.stringify(tools).length + JSON.stringify(messages).length, context);

export const outputOf = (content: readonly Block[], context: ContextWorkload): number =>
  counted(JSON.stringify(content).length, context);

/** A server that checks a request before it answers. */
export function refusedAsIs(request: ModelRequest, context: ContextWorkload): Failure | undefined {
  const sent = inputOf(request, context);
  if (sent > context.window) {
    const message = `prompt is too long: ${sent} tokens > ${context.window} maximum`;
    return { kind: 'too_long', code: 'context_limit', message, sent, most: context.window };
  }
  return hasForeignThinking(request)
    ? { kind: 'thinking_mismatch', code: 'invalid_request_error', message: 'thinking cannot be modified' }
    : undefined;
}

/** The signature of thinking over a request. */
export const signedOver = (request: ModelRequest): string => signed(blocksOf(request.messages));

/** Whether a request has thinking from another context or another model. */
export function hasForeignThinking({ messages }: ModelRequest): boolean {
  const before: string[] = [];
  for (const { role, content } of messages) {
    // All blocks of a reply were made over the messages before it.
    const signature = signed(before);
    if (content.some((block) => block.type === 'thinking' && block.signature !== signature)) return true;
    before.push(...content.map((block) => `${role}:${JSON.stringify(block)}`));
  }
  return false;
}

const signed = (blocks: readonly string[]): string => hash(blocks.join('\n'));

/** The blocks that slots add to a conversation, written independently of the core. */

import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ToolsSlot } from '../../../shared/agent/session/slots.ts';

/** A conversation as `role:json` of each block. */
export const blocksOf = (messages: ModelRequest['messages']): string[] =>
  messages.flatMap(({ role, content }) => content.map((block) => `${role}:${JSON.stringify(block)}`));

/** The results of a batch, as blocks. */
export const resultBlocks = ({ results }: ToolsSlot): string[] =>
  results.map(({ callId, content: said, outcome, json, note }) => {
    // A guard's note on a result is stored next to it (L4). Tools here return texts and plain objects.
    const noted = json
      ? JSON.stringify({ ...(JSON.parse(said) as object), _loop_guard: note })
      : `${said}\n[loop-guard] ${note?.message}`;
    const content = note ? noted : said;
    const error = outcome === 'ok' ? {} : { is_error: true };
    return `user:${JSON.stringify({ type: 'tool_result', tool_use_id: callId, content, ...error })}`;
  });

import { memoize } from '../plain/memoize.ts';
import { sendable } from '../session/reply.ts';
import type { Block } from '../session/slots.ts';
import type { Part } from './joined.ts';

/**
 * Tools that the model's server runs itself are two blocks in a reply: `server_tool_use` (or `mcp_tool_use`), and a result
 * (`web_search_tool_result`, …) with its id. The Messages API refuses a use without its result, unless it is the last thing in
 * the request and is being resumed, and a result without its use.
 */

/**
 * Removes uses without a result from replies, and results without their use.
 *
 * @param replies all that are read, in order
 * @param resumed the one of them that the server continues; its uses stay
 */
export function pairedIn(replies: readonly Part[], resumed: Part | undefined): (content: Part) => Part {
  if (!replies.some((content) => idsIn(content).some)) return (content) => content;
  const used = new Set(replies.flatMap((content) => idsIn(content).used));
  const answered = new Set(replies.flatMap((content) => idsIn(content).answered));
  return (content) => {
    const isPaired = (block: Block) =>
      isUse(block)
        ? content === resumed || answered.has(block.id)
        : !isResult(block) || used.has(block.tool_use_id);
    return content.every(isPaired) ? content : sendable(content.filter(isPaired));
  };
}

/** Whether a reply has uses that its server has not answered yet. */
export const hasPending = (content: Part): boolean => {
  const { used, answered } = idsIn(content);
  return used.some((id) => !answered.includes(id));
};

const idsIn = memoize((content: Part) => {
  const used = content.flatMap((block) => (isUse(block) ? [block.id] : []));
  const answered = content.flatMap((block) => (isResult(block) ? [block.tool_use_id] : []));
  return { used, answered, some: used.length > 0 || answered.length > 0 };
});

const isUse = (block: Block): boolean => block.type !== 'tool_use' && block.type.endsWith('_tool_use');

const isResult = (block: Block): boolean =>
  block.type !== 'tool_result' && block.type.endsWith('_tool_result') && 'tool_use_id' in block;

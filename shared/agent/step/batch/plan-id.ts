import type { SessionKey } from '../../../contract/session.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';

import type { Change, FileChange, ToolCall } from '../../session/slots.ts';
import { readingDigest } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';

/**
 * The digest that binds a decision to a change: the tool, and its arguments as the tool reads them. If the change only changes
 * files and the tool does not run again, it is what the change was made from and what it makes.
 */
export function changeDigest(
  call: ToolCall,
  tool: Tool | undefined,
  files: readonly FileChange[] | undefined,
): string {
  const bound = files ? [canonicalJson(call.input), files] : [readingDigest(call, tool)];
  return hash(canonicalJson([call.name, ...bound]));
}

/** The id of a plan's wait. It differs for each slot and for other changes, so a decision applies to what was shown. */
export const planId = ({ tenant, sessionId }: SessionKey, slot: number, changes: readonly Change[]): string =>
  hash(canonicalJson(['plan', tenant, sessionId, slot, ...changes.map(({ digest }) => digest)]));

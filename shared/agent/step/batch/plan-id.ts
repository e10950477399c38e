import type { SessionKey } from '../../../contract/session.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';

import type { Change, FileChange, ToolCall } from '../../session/slots.ts';
import { readingDigest } from '../../tools/reading.ts';
import type { Tool } from '../../tools/tool.ts';

/**
 * What a decision on a change is bound to: its tool, and its arguments as that reads them; or, where the change is of files alone and
 * the tool is not run again, what it was made from and what it makes.
 */
export function changeDigest(
  call: ToolCall,
  tool: Tool | undefined,
  files: readonly FileChange[] | undefined,
): string {
  const bound = files ? [canonicalJson(call.input), files] : [readingDigest(call, tool)];
  return hash(canonicalJson([call.name, ...bound]));
}

/** The id of a plan's wait: another one for each slot and for other changes, so that a decision is on what was shown. */
export const planId = ({ tenant, sessionId }: SessionKey, slot: number, changes: readonly Change[]): string =>
  hash(canonicalJson(['plan', tenant, sessionId, slot, ...changes.map(({ digest }) => digest)]));

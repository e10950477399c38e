import type { SessionKey } from '../../contract/session.ts';
import type { Limits } from '../config/limits.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import { texts } from '../texts.ts';

/** Where a call's output goes to. */
export interface OutputPlace {
  readonly key: SessionKey;
  /** Number of the slot that the reply is kept in. */
  readonly slot: number;
  readonly limits: Pick<Limits, 'maxToolOutputChars'>;
  readonly blobs: Pick<Blobs, 'put'>;
}

/**
 * Keeps a long output whole in the blob store and shows the model its head, and says so (A13). Text that is not
 * well-formed Unicode would be refused by the model's server, now and with every later request of the session.
 */
export async function fitOutput(
  text: string,
  call: Pick<ToolCall, 'id'>,
  { key, slot, limits, blobs }: OutputPlace,
): Promise<Pick<ToolResult, 'content' | 'blob'>> {
  const limit = limits.maxToolOutputChars;
  if (text.length <= limit) return { content: text === '' ? 'ok' : text.toWellFormed() };
  const blob = blobKey(key.tenant, key.sessionId, 'results', String(slot), call.id);
  const content = text.slice(0, limit).toWellFormed() + texts.outputCut(limit, text.length);
  // The call has run: that its whole output cannot be kept must not undo that.
  const kept = await blobs.put(blob, text).then(
    () => true,
    () => false,
  );
  return kept ? { content, blob } : { content };
}

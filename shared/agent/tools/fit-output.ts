import type { SessionKey } from '../../contract/session.ts';
import type { Limits } from '../config/limits.ts';
import { blobKey } from '../plain/blob-key.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import { texts } from '../texts.ts';

/** Where a call's output is stored. */
export interface OutputPlace {
  readonly key: SessionKey;
  /** Number of the slot that the reply is stored in. */
  readonly slot: number;
  readonly limits: Pick<Limits, 'maxToolOutputChars'>;
  readonly blobs: Pick<Blobs, 'put'>;
}

/**
 * Stores a long output whole in the blob store, shows the model its head, and says so. Ill-formed Unicode is repaired: the
 * model's server would refuse it, now and with every later request of the session.
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
  // The call has run: a failure to store its whole output must not undo that.
  const kept = await blobs.put(blob, text).then(
    () => true,
    () => false,
  );
  return kept ? { content, blob } : { content };
}

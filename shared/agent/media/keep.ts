import type { SessionKey } from '../../contract/session.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Attachment } from '../session/attachments.ts';
import { putContent } from '../workspace/content.ts';
import { filePathOf } from '../workspace/paths.ts';
import { keepFacts } from './facts.ts';
import { inspect } from './inspect.ts';

/** Something that was sent, in its original form. */
export interface Sent {
  /** Plain already (`plainName`). */
  readonly name: string;
  readonly as: Attachment['as'];
  readonly bytes: Uint8Array;
  /** For a file: a path, or a folder with `/` at its end; its name at the root when absent. */
  readonly path?: string;
}

/**
 * Inspects an attachment and stores it as the session's content. Must be done before anything refers to it; a repetition gives
 * the same result. Rejects if it cannot be stored.
 *
 * @param fileBytes the most bytes that a file of the session's workspace may have
 * @returns a sentence for the sender if it cannot be used
 */
export async function keepSent(
  { name, as, bytes, path: wanted = name }: Sent,
  key: SessionKey,
  fileBytes: number,
  blobs: Pick<Blobs, 'put' | 'putBytes'>,
): Promise<Attachment | string> {
  const facts = inspect(bytes, as);
  if (typeof facts === 'string') return facts;
  const base = { bytes: bytes.length, ...facts, name, as };
  if (as !== 'file') return keep(base, bytes, key, blobs);
  if (bytes.length > fileBytes)
    return `It has ${bytes.length} bytes: a file of this agent's workspace has at most ${fileBytes}.`;
  const path = pathIn(wanted.endsWith('/') ? wanted + name : wanted);
  return 'why' in path ? path.why : keep({ ...base, ...path }, bytes, key, blobs);
}

async function keep(
  base: Omit<Attachment, 'hash'>,
  bytes: Uint8Array,
  key: SessionKey,
  blobs: Pick<Blobs, 'put' | 'putBytes'>,
): Promise<Attachment> {
  const attachment = { hash: await putContent(key, bytes, blobs), ...base };
  await keepFacts(key, attachment, blobs);
  return attachment;
}

/** The path of a file in the workspace, or why there is none. */
export function pathIn(given: string): { readonly path: string } | { readonly why: string } {
  try {
    return { path: filePathOf(given) };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

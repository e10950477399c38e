import { inspect, isZip } from '../../shared/agent/media/inspect.ts';
import { keepSent } from '../../shared/agent/media/keep.ts';
import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { keepUnpacked } from './unpack.ts';
import type { UnpackLimits } from './zip.ts';

/** The session that takes something in, and what is needed to keep it. */
export interface KeepContext {
  readonly key: SessionKey;
  /** Limits of the session's workspace. */
  readonly limits: UnpackLimits;
  readonly blobs: Pick<Blobs, 'put' | 'putBytes'>;
}

/** Something that came without a word about what it is for. */
export interface Unsorted {
  /** A safe file name already (`plainName`). */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The folder for it, if it becomes a file; empty means the root. */
  readonly folder: string;
}

/** The attachment that was kept. Next to it, or in its place, a sentence says why there is not more. */
export interface Kept {
  readonly kept?: Attachment;
  readonly why?: string;
}

/**
 * Keeps bytes in the most useful form: images and PDFs as media that the model sees, the files of an archive named `….zip` and
 * everything else in the workspace.
 */
export async function keepBest(sent: Unsorted, context: KeepContext): Promise<Kept> {
  const { name, bytes, folder } = sent;
  const { key, limits, blobs } = context;
  const path = `${folder}/${name}`;
  const keepAs = (as: Attachment['as']) => keepSent({ name, bytes, as, path }, key, limits.fileBytes, blobs);
  const isArchive = isZip(bytes) && /\.zip$/i.test(name);
  const as = bestOf(bytes);
  const best = isArchive ? await keepUnpacked(sent, key, limits, blobs) : await keepAs(as);
  if (typeof best !== 'string') return { kept: best };
  if (as === 'file' && !isArchive) return { why: best };
  // Media that models do not take, and archives that cannot be unpacked, are kept as files.
  const whole = await keepAs('file');
  return typeof whole === 'string' ? { why: best } : { kept: whole, why: best };
}

/** The most useful form for bytes, judged by their content. */
export function bestOf(bytes: Uint8Array): Attachment['as'] {
  const facts = inspect(bytes, 'file');
  if (typeof facts === 'string') return 'file';
  if (facts.mediaType.startsWith('image/')) return 'image';
  return facts.mediaType === 'application/pdf' ? 'document' : 'file';
}

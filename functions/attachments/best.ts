import { inspect, isZip } from '../../shared/agent/media/inspect.ts';
import { keepSent } from '../../shared/agent/media/keep.ts';
import type { Blobs } from '../../shared/agent/ports.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { keepUnpacked } from './unpack.ts';
import type { UnpackLimits } from './zip.ts';

/** Into which session something is taken, and with what. */
export interface KeepContext {
  readonly key: SessionKey;
  /** Of the session's workspace. */
  readonly limits: UnpackLimits;
  readonly blobs: Pick<Blobs, 'put' | 'putBytes'>;
}

/** Something of which nobody says what it is for. */
export interface Unsorted {
  /** Plain already (`plainName`). */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The folder for it, if it becomes a file; the root when it is empty. */
  readonly folder: string;
}

/** What it has become; beside it, or instead, a sentence that says why it is not more. */
export interface Kept {
  readonly kept?: Attachment;
  readonly why?: string;
}

/**
 * Keeps bytes in the best way that there is for them: images and PDFs for the model to see, the files of an archive named `….zip`
 * and all else in the workspace.
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
  // What models do not take, or what is no archive to unpack, is a file all the same.
  const whole = await keepAs('file');
  return typeof whole === 'string' ? { why: best } : { kept: whole, why: best };
}

/** What bytes are best taken as, by what they are. */
export function bestOf(bytes: Uint8Array): Attachment['as'] {
  const facts = inspect(bytes, 'file');
  if (typeof facts === 'string') return 'file';
  if (facts.mediaType.startsWith('image/')) return 'image';
  return facts.mediaType === 'application/pdf' ? 'document' : 'file';
}

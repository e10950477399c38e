import { keepSent } from '../../shared/agent/media/keep.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import { MAX_UPLOAD_BYTES, type UploadedPart } from '../../shared/contract/message.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Uploads } from '../../shared/edge/uploads.ts';
import { Refusal } from '../middleware/problem.ts';
import { keyOfUpload } from './key.ts';
import { keepUnpacked } from './unpack.ts';
import type { UnpackLimits } from './zip.ts';

/** Context for taking uploads over. */
export interface TakeContext {
  readonly io: Pick<Ports, 'blobs'>;
  readonly uploads: Uploads;
}

/** The message that takes uploads over, its sender and its session. */
export interface TakenBy {
  readonly key: SessionKey;
  /** The event of the message. */
  readonly eventId: string;
  readonly subject: string;
  /** Limits of the session's workspace. */
  readonly limits: UnpackLimits;
}

/** The attachments that a message has taken over, now content of the session. */
export interface TakenOver {
  readonly attachments: readonly Attachment[];
  /** Releases the uploads if the message was not accepted after all, so that it can be sent again unchanged. */
  giveBack(): Promise<void>;
}

/**
 * Takes over the uploads of a message: each is inspected, and kept as content of the session before anything names it. Repeating
 * it for the same message has the same result. Refuses with a sentence for each upload that cannot be read or used; then none is
 * taken.
 */
export async function takeOver(
  parts: readonly UploadedPart[],
  by: TakenBy,
  context: TakeContext,
): Promise<TakenOver> {
  const { key, eventId } = by;
  const message = `${key.sessionId} ${eventId}`;
  const giveBack = async () => {
    await Promise.all(parts.map(({ upload }) => context.uploads.giveBack(key.tenant, upload, message)));
  };
  try {
    const attachments: Attachment[] = [];
    // Sequential, because all of them together would not fit into the function's memory.
    for (const part of parts) attachments.push(await takeOne(part, message, by, context));
    return { attachments, giveBack };
  } catch (error) {
    if (error instanceof Refusal) await giveBack();
    throw error;
  }
}

async function takeOne(
  part: UploadedPart,
  message: string,
  { key, subject, limits }: TakenBy,
  { io, uploads }: TakeContext,
): Promise<Attachment> {
  const { upload } = part;
  const taken = await uploads.take(key.tenant, upload, subject, message);
  if (taken.kind === 'unknown')
    throw new Refusal(404, 'No such upload', {
      detail: `You have no upload ${said(upload)}, or it has expired. Announce it with POST /uploads, send its bytes, then send the message.`,
    });
  if (taken.kind === 'used')
    throw new Refusal(409, 'Upload used before', {
      detail: `Another message has used the upload ${said(upload)}. Upload it again. If a message may be sent twice, send an Idempotency-Key.`,
    });
  const bytes = await io.blobs.getBytes(keyOfUpload(key.tenant, upload), MAX_UPLOAD_BYTES);
  if (!bytes)
    throw new Refusal(409, 'Upload not finished', {
      detail: `The bytes of the upload ${said(upload)} have not arrived. PUT them to its url, then send the message again.`,
    });
  const { name } = taken;
  const unpacks = part.type === 'file' && part.unpack;
  const path = part.type === 'file' && part.path ? { path: part.path } : {};
  const kept = unpacks
    ? await keepUnpacked({ name, bytes, folder: path.path ?? '' }, key, limits, io.blobs)
    : await keepSent({ name, bytes, as: part.type, ...path }, key, limits.fileBytes, io.blobs);
  if (typeof kept === 'string')
    throw new Refusal(422, 'Unusable upload', {
      detail: `${said(name)} cannot be sent as ${part.type}. ${kept}`,
    });
  return kept;
}

const said = (text: string): string => JSON.stringify(text);

import { blobsOf, placeOf } from '../../shared/agent/lineage/blobs.ts';
import { factsOf } from '../../shared/agent/media/facts.ts';
import { contentKey } from '../../shared/agent/workspace/content.ts';
import type { AttachmentLink } from '../../shared/contract/message.ts';
import { Refusal } from '../middleware/problem.ts';
import { json } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

/** How long a link to an attachment is valid, in seconds. */
const LINK_SECONDS = 300;

/** `GET /sessions/{sessionId}/attachments/{hash}`: a link to the bytes of an attachment of this session, and of no other. */
export const linkAttachment: Route = async (event, caller, { io, links }) => {
  const key = sessionKeyOf(event, caller);
  const hash = event.pathParameters?.hash ?? '';
  const view = await io.sessions.read(key);
  if (!view) throw noSuchSession();
  const blobs = blobsOf(view.session, io.blobs);
  const facts = /^[0-9a-f]{64}$/.test(hash) ? await factsOf(key, hash, blobs) : undefined;
  if (!facts)
    throw new Refusal(404, 'No such attachment', {
      detail: 'Take the hash of an attachment from the messages of this session.',
    });
  const { name, mediaType, as } = facts;
  // Inspected media may be shown inline. A plain file is never shown, because it is unknown how a browser would interpret it.
  const safe = as === 'file' ? { mediaType: 'application/octet-stream' } : { mediaType, inline: true };
  const at = await placeOf(view.session, contentKey(key, hash), io.blobs);
  const url = await links.downloadFrom(at, { name, ...safe, seconds: LINK_SECONDS });
  const expiresAt = new Date(io.clock.now() + LINK_SECONDS * 1000).toISOString();
  return json(200, { url, name, mediaType, expiresAt } satisfies AttachmentLink);
};

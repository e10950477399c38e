import { plainName } from '../../shared/agent/media/name.ts';
import { MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import { UploadBody, type UploadInfo } from '../../shared/contract/message.ts';
import { UPLOAD_SECONDS } from '../../shared/edge/uploads.ts';
import { keyOfUpload } from '../attachments/key.ts';
import { json, jsonBody } from '../middleware/request.ts';
import type { Route } from './context.ts';

/** `POST /uploads`: the address for the bytes of an attachment. They go straight to the bucket, and through no function. */
export const announceUpload: Route = async (event, { tenant, subject }, { io, uploads, links }) => {
  const { name, mediaType, bytes } = jsonBody(event, UploadBody, MAX_BODY_BYTES);
  const id = `u${io.ids.next()}`;
  await uploads.announce(tenant, { id, name: plainName(name), by: subject });
  const what = { mediaType, bytes, seconds: UPLOAD_SECONDS };
  const { url, headers } = await links.uploadTo(keyOfUpload(tenant, id), what);
  const expiresAt = new Date(io.clock.now() + UPLOAD_SECONDS * 1000).toISOString();
  return json(201, { id, url, headers, expiresAt } satisfies UploadInfo);
};

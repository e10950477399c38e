import { blobKey } from '../agent/plain/blob-key.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { uploadsPrefix } from '../contract/env.ts';
import { UPLOAD_MS, type Upload, type Uploads, type UploadsOfPeople } from '../edge/uploads.ts';
import type { MemoryBlobs } from './blobs.ts';

/** Uploads in memory. */
export function createUploads(
  clock: Pick<Clock, 'now'>,
  blobs: Pick<MemoryBlobs, 'erase'> = { erase: () => undefined },
): Uploads & UploadsOfPeople {
  const announced = new Map<string, Upload & { readonly until: number; takenBy?: string }>();
  const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id]);
  return {
    async announce(tenant, upload) {
      announced.set(keyOf(tenant, upload.id), { ...upload, until: clock.now() + UPLOAD_MS });
    },

    async take(tenant, id, by, message) {
      const found = announced.get(keyOf(tenant, id));
      if (!found || found.by !== by || found.until <= clock.now()) return { kind: 'unknown' };
      if (found.takenBy !== undefined && found.takenBy !== message) return { kind: 'used' };
      found.takenBy = message;
      return { kind: 'taken', name: found.name };
    },

    async giveBack(tenant, id, message) {
      const found = announced.get(keyOf(tenant, id));
      if (found?.takenBy === message) delete found.takenBy;
    },

    async forget(tenant, by) {
      const own = [...announced].filter(([key, upload]) => upload.by === by && JSON.parse(key)[0] === tenant);
      for (const [key, { id }] of own) {
        announced.delete(key);
        blobs.erase(blobKey(uploadsPrefix, tenant, id));
      }
      return own.length;
    },
  };
}

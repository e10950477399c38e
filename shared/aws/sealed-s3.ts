/** Objects of tenants, sealed under their data keys. Loaded where `tenantKeys` is on. */

import type { S3 } from './s3.ts';
import { SEAL_BYTES } from './seal.ts';
import type { Sealers } from './tenant-keys.ts';
import { tenantOf } from './tenant-of.ts';

/** Sealed objects start with it. Objects from before the option do not, and neither do uploads. */
const MARK = Buffer.from('\0steploop sealed\n');
const NAME = 'object';

/** @param sealers both reject with `TenantKeyDeleted` if the tenant's key was deleted */
export function sealedS3(s3: S3, sealers: Sealers): S3 {
  const open = async (key: string, bytes: Uint8Array): Promise<Uint8Array> => {
    const tenant = tenantOf(key);
    if (tenant === undefined || !isSealedObject(bytes)) return bytes;
    return (await sealers.existing(tenant)).at(NAME, key).open(NAME, bytes.subarray(MARK.length));
  };
  const getBytes: S3['getBytes'] = async (bucket, key, maxBytes = Number.POSITIVE_INFINITY) => {
    const bytes = await s3.getBytes(bucket, key, maxBytes, MARK.length + SEAL_BYTES);
    const opened = bytes && (await open(key, bytes));
    if (opened && opened.length > maxBytes) throw new Error(`the object has more than ${maxBytes} bytes`);
    return opened;
  };
  return {
    async put(bucket, key, body) {
      const tenant = tenantOf(key);
      if (tenant === undefined) return s3.put(bucket, key, body);
      const place = (await sealers.forWriting(tenant)).at(NAME, key);
      const sealed = place.seal(NAME, typeof body === 'string' ? Buffer.from(body) : body);
      return s3.put(bucket, key, Buffer.concat([MARK, sealed]));
    },
    async get(bucket, key) {
      const bytes = await getBytes(bucket, key);
      return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    },
    getBytes,
    has: (bucket, key) => s3.has(bucket, key),
  };
}

const isSealedObject = (bytes: Uint8Array): boolean => MARK.equals(bytes.subarray(0, MARK.length));

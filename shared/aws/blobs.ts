import type { Blobs } from '../agent/ports/blobs.ts';
import type { S3 } from './s3.ts';

/** Blobs in one bucket. */
export const createBlobs = (s3: S3, bucket: string): Blobs => ({
  put: (key, text) => s3.put(bucket, key, text),
  get: (key) => s3.get(bucket, key),
  putBytes: (key, bytes) => s3.put(bucket, key, bytes),
  getBytes: (key, maxBytes) => s3.getBytes(bucket, key, maxBytes),
  has: (key) => s3.has(bucket, key),
});

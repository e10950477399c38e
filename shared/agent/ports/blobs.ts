/** Bodies that are too large for an item, as text or as bytes: one that was stored as either can be read as the other. */
export interface Blobs {
  put(key: string, body: string): Promise<void>;
  get(key: string): Promise<string | undefined>;
  putBytes(key: string, body: Uint8Array): Promise<void>;
  /** Rejects if it has more than `maxBytes`, before the bytes are read. The caller may change the returned array. */
  getBytes(key: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** Whether there is one. */
  has(key: string): Promise<boolean>;
}

/** Bodies too large for an item, as text or as bytes: what was put as one can be had as the other. */
export interface Blobs {
  put(key: string, body: string): Promise<void>;
  get(key: string): Promise<string | undefined>;
  putBytes(key: string, body: Uint8Array): Promise<void>;
  /** Rejects when it has more than `maxBytes`, before these are read. What is handed out is the caller's own. */
  getBytes(key: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  /** Whether there is one. */
  has(key: string): Promise<boolean>;
}

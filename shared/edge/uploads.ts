/** How long the link of an upload accepts bytes, in seconds. */
export const UPLOAD_SECONDS = 900;
/** How long a message may take over an upload, in ms: its bytes are kept for a day (`infra/blobs.ts`). */
export const UPLOAD_MS = 20 * 3_600_000;

/** An announced upload. */
export interface Upload {
  readonly id: string;
  /** A single path segment. */
  readonly name: string;
  /** Subject of the caller who announced it: other callers may not send it. */
  readonly by: string;
}

export type Taken =
  | { readonly kind: 'taken'; readonly name: string }
  /** There is none with this id, another caller announced it, or its time is over. */
  | { readonly kind: 'unknown' }
  /** Another message has taken it. */
  | { readonly kind: 'used' };

/**
 * Announced uploads that no message has taken over yet. Rejects when the store cannot be reached; the operation may
 * then have been done, and may be repeated.
 */
export interface Uploads {
  announce(tenant: string, upload: Upload): Promise<void>;
  /**
   * Takes an upload for one message, and for no other. Repeating it for the same message gives the same answer.
   *
   * @param message names it within the tenant
   */
  take(tenant: string, id: string, by: string, message: string): Promise<Taken>;
  /** The message was not accepted after all: another one may take the upload. */
  giveBack(tenant: string, id: string, message: string): Promise<void>;
}

/** Uploads, for the process that deletes a person's data. Rejects when the store cannot be reached; may be repeated. */
export interface UploadsOfPeople {
  /**
   * Deletes what a caller has announced, with its bytes. Repeat it once their links have ended: until then they may send bytes
   * again.
   *
   * @returns how many there were, taken over or not
   */
  forget(tenant: string, by: string): Promise<number>;
}

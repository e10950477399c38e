/** How long bytes may be sent to the link of an upload, in seconds. */
export const UPLOAD_SECONDS = 900;
/** How long a message may take an upload over, in ms: its bytes are kept for a day (`infra/blobs.ts`). */
export const UPLOAD_MS = 20 * 3_600_000;

/** What was announced. */
export interface Upload {
  readonly id: string;
  /** One segment, plain. */
  readonly name: string;
  /** Subject of who has announced it: nobody else may send it. */
  readonly by: string;
}

export type Taken =
  | { readonly kind: 'taken'; readonly name: string }
  /** There is none with this id, it was announced by somebody else, or its time is over. */
  | { readonly kind: 'unknown' }
  /** Another message has taken it. */
  | { readonly kind: 'used' };

/**
 * Uploads that were announced and that no message has taken over yet. Rejects when the store cannot be reached; what was asked may
 * then have been done, and may be asked again.
 */
export interface Uploads {
  announce(tenant: string, upload: Upload): Promise<void>;
  /**
   * Takes an upload for one message, and for no other; again for the same one it is the same answer.
   *
   * @param message names it within the tenant
   */
  take(tenant: string, id: string, by: string, message: string): Promise<Taken>;
  /** The message was not accepted after all: another one may have the upload. */
  giveBack(tenant: string, id: string, message: string): Promise<void>;
}

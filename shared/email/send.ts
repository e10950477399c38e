export interface AttachedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** A mail of ours, before SES makes it into one. */
export interface OutgoingMail {
  readonly from: { readonly address: string; readonly name?: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for programs that show HTML. */
  readonly html?: string;
  /** Files that are attached to it. */
  readonly files?: readonly AttachedFile[];
  /** Further headers. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export type Sent =
  /** `id` is the `Message-ID` with which it is delivered, with brackets. */
  | { readonly kind: 'sent'; readonly id: string }
  /** It will not be taken at a later try either: an address that SES refuses, or that is on its suppression list. */
  | { readonly kind: 'refused'; readonly error: string };

/** Sends a mail. Rejects if a later try may succeed. */
export type SendMail = (mail: OutgoingMail, signal?: AbortSignal) => Promise<Sent>;

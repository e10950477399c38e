/** A delivery of a webhook's sender, verified, as it is remembered. */
export interface NotedDelivery {
  readonly tenant: string;
  /** The last part of the webhook's URL. */
  readonly source: string;
  /** Equal for the sender's retries and for nothing else. */
  readonly id: string;
  readonly body: Uint8Array;
  /** What the sender signed, when that does not include the id: then whoever has seen it can send it under another. */
  readonly signed?: Uint8Array;
}

/**
 * What a delivery is. `known`: the sender's retry. `conflict`: its id came before with another body; a retry repeats
 * its bytes, so that is no retry, and must not be a second event either. `replay`: what is signed came before under
 * another id.
 */
export type Noted = 'new' | 'known' | 'conflict' | 'replay';

/**
 * Which deliveries the senders of webhooks have made, each for 30 days. Rejects when the store cannot be reached; it may have
 * been noted then, and noting it again says `known`.
 */
export interface HookLog {
  /** Notes a delivery. Of several at once with the same id, or over the same signed bytes, one is the first. */
  note(delivery: NotedDelivery): Promise<Noted>;
}

/** A verified delivery of a webhook's sender, as it is remembered. */
export interface NotedDelivery {
  readonly tenant: string;
  /** The last part of the webhook's URL. */
  readonly source: string;
  /** The same for the sender's retries, and different for everything else. */
  readonly id: string;
  readonly body: Uint8Array;
  /**
   * The bytes that the sender signed, when they do not include the id: anyone who has seen them can send them under
   * another id.
   */
  readonly signed?: Uint8Array;
}

/**
 * The kind of a delivery. `known`: the sender's retry. `conflict`: its id came before with another body; a retry
 * repeats its bytes, so this is no retry, and must not be a second event either. `replay`: the signed bytes came before
 * under another id.
 */
export type Noted = 'new' | 'known' | 'conflict' | 'replay';

/**
 * The deliveries that the senders of webhooks have made, each for 30 days. Rejects when the store cannot be reached;
 * the delivery may have been noted then, and noting it again says `known`.
 */
export interface HookLog {
  /** Notes a delivery. If several come at once with the same id, or over the same signed bytes, one is the first. */
  note(delivery: NotedDelivery): Promise<Noted>;
}

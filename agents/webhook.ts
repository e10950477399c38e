/** What an agent folder tells about webhooks: which events of a third party wake which agent, in which session. */

/** A delivery whose signature is verified already; its payload is JSON that nobody has looked at yet. */
export interface WebhookEvent {
  /** The event's kind, as the sender names it: `issues`, `issue_comment`. */
  readonly name: string;
  /** The sender's id of this delivery. */
  readonly deliveryId: string;
  readonly payload: unknown;
}

/** What a delivery does: a message for an agent, in the one session that `sessionKey` names. */
export interface Wakeup {
  readonly agent: string;
  /** Equal keys meet in one session: `github:owner/repo#12`. */
  readonly sessionKey: string;
  readonly message: string;
}

/** Maps a delivery to what it does; undefined when it is nobody's business. Pure, and must not throw. */
export type WebhookMapping = (event: WebhookEvent) => Wakeup | undefined;

/** Why a delivery that its sender signed could not be carried out. Resending would not help with any of these. */
export type DeadReason =
  /** The source's `map` threw. */
  | 'mapping_threw'
  /** The payload does not fit the source's schema. */
  | 'payload_unfit'
  /** `map` returned something that is not a wakeup. */
  | 'mapping_invalid'
  | 'facts_unusable'
  /** `map` named an agent that is not deployed. */
  | 'unknown_agent'
  /** `map` named a callback URL that may not be called. */
  | 'callback_refused'
  /** `map` led to a session that belongs to another agent. */
  | 'other_agent'
  /** `map` led to a session that was deleted a short time ago. */
  | 'session_deleted'
  /** Its source is no longer declared. */
  | 'unknown_source';

/** A delivery that is kept until the failure has been fixed and the delivery is redriven. */
export interface DeadDelivery {
  readonly tenant: string;
  /** The delivery's id in its tenant. The sender's retries have the same. */
  readonly id: string;
  /** The last part of the webhook's URL. */
  readonly source: string;
  /** The event's kind, as the sender names it. */
  readonly name: string;
  /** The sender's id of the delivery. */
  readonly deliveryId: string;
  /** The id under which a session accepts it, once. */
  readonly eventId: string;
  /** Epoch ms of its arrival. */
  readonly at: number;
  readonly reason: DeadReason;
  /** The failure, in the words of the error that was thrown: for the tenant's administrators, and not for the log. */
  readonly detail: string;
  /** Size of its body. */
  readonly bytes: number;
}

/** The body of a dead delivery. */
export interface DeadBody {
  readonly text: string;
  /** As the sender named it; empty when it did not. */
  readonly contentType: string;
  /** The headers that the mapping sees. Undefined for deliveries that were kept before it saw any. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Deliveries that could not be carried out, each for 30 days; one that was carried out is remembered for another day,
 * so that its sender's retry does not bring it back. Rejects when the store cannot be reached; each operation may be
 * done again.
 */
export interface DeadDeliveries {
  /** Keeps a delivery, if there is none with its id. */
  bury(dead: DeadDelivery, body: DeadBody): Promise<void>;
  /** The deliveries of a tenant, oldest first. */
  list(tenant: string): Promise<DeadDelivery[]>;
  read(
    tenant: string,
    id: string,
  ): Promise<{ readonly dead: DeadDelivery; readonly body: DeadBody } | undefined>;
  /** Records that the delivery failed again, and why. */
  failedAgain(tenant: string, id: string, why: Pick<DeadDelivery, 'reason' | 'detail'>): Promise<void>;
  /** Records that the delivery was carried out: it is no longer listed, and its body is forgotten. */
  settle(tenant: string, id: string): Promise<void>;
}

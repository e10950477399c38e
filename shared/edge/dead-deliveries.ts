/** Why a delivery that its sender has signed could not be carried out: nothing that the sender could do otherwise. */
export type DeadReason =
  /** The source's `map` threw. */
  | 'mapping_threw'
  /** It returned what is no wakeup. */
  | 'mapping_invalid'
  | 'facts_unusable'
  /** It named an agent that is not deployed. */
  | 'unknown_agent'
  /** It named a callback URL that may not be called. */
  | 'callback_refused'
  /** It led to a session that belongs to another agent. */
  | 'other_agent'
  /** It led to a session that was deleted a short time ago. */
  | 'session_deleted'
  /** Its source is declared no more. */
  | 'unknown_source';

/** A delivery that is kept until somebody has mended what failed, and redrives it. */
export interface DeadDelivery {
  readonly tenant: string;
  /** Names it in its tenant. The sender's retries have the same. */
  readonly id: string;
  /** The last part of the webhook's URL. */
  readonly source: string;
  /** The event's kind, as the sender names it. */
  readonly name: string;
  /** The sender's id of it. */
  readonly deliveryId: string;
  /** The id under which a session takes it in, once. */
  readonly eventId: string;
  /** Epoch ms at which it came. */
  readonly at: number;
  readonly reason: DeadReason;
  /** What was wrong, in the words of what threw: for whoever administers the tenant, and not for the log. */
  readonly detail: string;
  /** Of its body. */
  readonly bytes: number;
}

/** What a dead delivery brought. */
export interface DeadBody {
  readonly text: string;
  /** As the sender has named it; empty when it has not. */
  readonly contentType: string;
}

/**
 * Deliveries that could not be carried out, each for 30 days; one that was carried out is remembered for another day, so that
 * its sender's retry does not bring it back. Rejects when the store cannot be reached; each operation may be done again.
 */
export interface DeadDeliveries {
  /** Keeps one, if there is none with its id. */
  bury(dead: DeadDelivery, body: DeadBody): Promise<void>;
  /** Those of a tenant, oldest first. */
  list(tenant: string): Promise<DeadDelivery[]>;
  read(
    tenant: string,
    id: string,
  ): Promise<{ readonly dead: DeadDelivery; readonly body: DeadBody } | undefined>;
  /** It failed again, and why. */
  failedAgain(tenant: string, id: string, why: Pick<DeadDelivery, 'reason' | 'detail'>): Promise<void>;
  /** It was carried out: it is listed no more, and its body is forgotten. */
  settle(tenant: string, id: string): Promise<void>;
}

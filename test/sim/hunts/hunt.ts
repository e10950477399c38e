import type { SessionKey } from '../../../shared/contract/session.ts';
import type { Head } from '../../../shared/memory/head.ts';
import type { Aim, Claim } from '../ledger.ts';
import type { Order } from '../network.ts';
import type { Random } from '../random.ts';

/** One way to seek a narrow gap. Its state is of one simulation. */
export interface Hunt {
  /** What is to become of a call of somebody who has claimed a session. Without an order chance decides. */
  orderFor?(seen: Seen): Order | undefined;
  /** Told when the model is asked, and whether for a summary. */
  asked?(claim: Claim, summary: boolean): void;
  /** Time between the two writes of an accept. */
  gapMs?(): number | undefined;
  /** What is to become of a claim; the reads beside it are not held up. */
  claimOrder?(aim: Aim): Order | undefined;
  /** What is to become of a call of a worker of the tool queue, from `beginCall` on. */
  workerOrder?(operation: string, aim: Aim): Order | undefined;
}

/** A call of an owner, or of one who has been. */
export interface Seen {
  readonly operation: string;
  readonly claim: Claim;
  /** HEAD as it is now. */
  readonly head: Head;
}

/** What a hunt may use. */
export interface Means {
  readonly random: Random;
  readonly leaseMs: number;
  /** Resolves when the HEAD of a session is like this, and in any case after a while. */
  until(pk: string, comes: (head: Head) => boolean): Promise<void>;
  /** What somebody opens, and what opens by itself after a while. */
  gate(): PromiseWithResolvers<void>;
  /** Makes a message come again. */
  redeliverIn(ms: number, messageId: string): void;
  redeliverCallIn(ms: number, messageId: string): void;
  /** Whether an event is marked as incorporated for good. */
  isDone(pk: string, eventId: string): boolean;
  cancelIn(ms: number, key: SessionKey): void;
}

/** Times that a hunt strikes in one session: enough to hit, few enough to come to rest. */
const STRIKES = 3;

/** Whether a session may be struck again. */
export function counter(most = STRIKES): (pk: string) => boolean {
  const struck = new Map<string, number>();
  return (pk) => {
    const times = struck.get(pk) ?? 0;
    struck.set(pk, times + 1);
    return times < most;
  };
}

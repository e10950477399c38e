import type { SessionKey } from '../../../shared/contract/session.ts';
import type { Head } from '../../../shared/memory/head.ts';
import type { Aim, Claim } from '../ledger.ts';
import type { Order } from '../network.ts';
import type { Random } from '../random.ts';

/** One way to search for a narrow gap. Its state belongs to one simulation. */
export interface Hunt {
  /** The fate of a call by an invocation that has claimed a session. Without an order it is left to chance. */
  orderFor?(seen: Seen): Order | undefined;
  /** Called when the model is asked, with whether it is for a summary. */
  asked?(claim: Claim, summary: boolean): void;
  /** Time between the two writes of an accept. */
  gapMs?(): number | undefined;
  /** The fate of a claim. The reads next to it are not held up. */
  claimOrder?(aim: Aim): Order | undefined;
  /** The fate of a call by a worker of the tool queue, from `beginCall` on. */
  workerOrder?(operation: string, aim: Aim): Order | undefined;
}

/** A call of an owner, or of a former one. */
export interface Seen {
  readonly operation: string;
  readonly claim: Claim;
  /** The current HEAD. */
  readonly head: Head;
}

/** The tools of a hunt. */
export interface Means {
  readonly random: Random;
  readonly leaseMs: number;
  /** Resolves when a session's HEAD meets the condition, and in any case after a while. */
  until(pk: string, comes: (head: Head) => boolean): Promise<void>;
  /** A gate that a hunt opens, and that opens by itself after a while. */
  gate(): PromiseWithResolvers<void>;
  /** Redelivers a message. */
  redeliverIn(ms: number, messageId: string): void;
  redeliverCallIn(ms: number, messageId: string): void;
  /** Whether an event is marked as incorporated for good. */
  isDone(pk: string, eventId: string): boolean;
  cancelIn(ms: number, key: SessionKey): void;
}

/** Number of strikes of a hunt in one session: enough to hit, few enough to come to rest. */
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

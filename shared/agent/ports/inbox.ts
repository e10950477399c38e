import type { Standing } from '../../contract/listing.ts';
import type { Wake } from '../../contract/queue.ts';
import type { SessionKey } from '../../contract/session.ts';
import type { Attachment } from '../session/attachments.ts';
import type { CallerFacts } from '../session/caller.ts';
import type { Mode } from '../session/proposals.ts';
import type { Fence } from './fence.ts';

/** Accepted outside events, each incorporated into exactly one slot. */
export interface InboxStore {
  /**
   * Keeps the event, if there is none with its id, and tells the session of it. A replay repairs what a
   * crash cut short and otherwise changes nothing: the effect is deduplicated, never the wake.
   *
   * @param whenFull `keep`: an event that finds no room waits for it, behind those that wait already. While any does, no
   *   other event gets in before it. `refuse` when absent.
   */
  accept(key: SessionKey, event: InboxEvent, now: number, whenFull?: WhenFull): Promise<AcceptResult>;
  /**
   * Moves what waits for room into the inbox, oldest first, for the owner of `fence`, and shows the fence as it is then.
   * Of a session that has another owner by now nothing is moved.
   */
  refill(key: SessionKey, fence: Fence): Promise<Fence>;
  /** The events with these ids, as far as they exist, by `at`, then id. Those marked done have no text. */
  read(key: SessionKey, eventIds: readonly string[]): Promise<InboxEvent[]>;
  /** Marks events as incorporated for good: their replays are then known without HEAD's help. Idempotent. */
  markDone(key: SessionKey, eventIds: readonly string[]): Promise<void>;
}

export interface InboxEvent {
  /** The sender's id of the event: its idempotency key. */
  readonly id: string;
  readonly text: string;
  /** What was sent beside the text. */
  readonly attachments?: readonly Attachment[];
  /** Hash of what was sent, to tell a replay from a reuse of the id. */
  readonly digest: string;
  /** Epoch ms; orders events that are drained together. */
  readonly at: number;
  /** Asks something of the run, rather than saying something. */
  readonly control?: Control;
  /** Its text is ours: the model reads it, and no person is shown it. Why it is said. */
  readonly internal?: 'retry';
  /** The run that it is asked of; absent on controls from before that was kept, which are for any. */
  readonly runId?: string;
  /** Subject of who says it, as the edge has verified it. */
  readonly by?: string;
  /** How they were verified, and which way it came; absent where that was not kept yet. */
  readonly caller?: CallerFacts;
  /** How the session is to work from then on. */
  readonly mode?: Mode;
  /** Set by `read`: incorporated already. */
  readonly done?: boolean;
}

/** What a run can be asked to do: sum up and end (T6), or end because the run it works for was cancelled (T1, T7). */
export type Control = 'wrap_up' | 'parent_cancel';

/** What follows from an event that HEAD knows of. */
interface Told {
  readonly wake: Wake;
  /** Set when nobody works on the session and it is due by this event, perhaps: lists show it as running. */
  readonly began?: Standing;
}

export type AcceptResult =
  | ({ readonly kind: 'accepted' } & Told)
  /** Accepted before. With a `wake` while it waits to be incorporated. */
  | ({ readonly kind: 'duplicate' } & Partial<Told>)
  /** The id was used for something else. */
  | { readonly kind: 'conflict' }
  /** {@link MAX_INBOX} events wait already, or more. */
  | { readonly kind: 'full' }
  | { readonly kind: 'unknown' };

/** Events that may wait in one session's inbox, which is a part of HEAD. More wait beside it ({@link WhenFull}). */
export const MAX_INBOX = 100;

/** What becomes of an event that finds the inbox full: its sender is told so, or it is kept until there is room. */
export type WhenFull = 'refuse' | 'keep';

import type { Standing } from '../../contract/listing.ts';
import type { PageOffer } from '../../contract/page.ts';
import type { Wake } from '../../contract/queue.ts';
import type { SessionKey, Totals } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { Attachment } from '../session/attachments.ts';
import type { CallerFacts, Speaker } from '../session/caller.ts';
import type { Mode } from '../session/proposals.ts';
import type { Fence } from './fence.ts';

/** Accepted outside events, each incorporated into exactly one slot. */
export interface InboxStore {
  /**
   * Stores the event, if there is none with its id, and adds it to the session. A replay repairs what a crash cut short and
   * otherwise changes nothing: the effect is deduplicated, never the wake.
   *
   * @param whenFull `keep`: an event that finds no room waits for it, behind those that already wait. While any waits, no other
   *   event gets in before it. `refuse` when absent.
   */
  accept(key: SessionKey, event: InboxEvent, now: number, whenFull?: WhenFull): Promise<AcceptResult>;
  /**
   * Moves overflow events into the inbox, oldest first, for the owner of `fence`, and returns the fence as it is then. If the
   * session has another owner by now, nothing is moved.
   */
  refill(key: SessionKey, fence: Fence): Promise<Fence>;
  /** The events with these ids, as far as they exist, by `at`, then id. Those marked done have no text. */
  read(key: SessionKey, eventIds: readonly string[]): Promise<InboxEvent[]>;
  /** Marks events as permanently incorporated: their replays are then known without HEAD. Idempotent. */
  markDone(key: SessionKey, eventIds: readonly string[]): Promise<void>;
}

export interface InboxEvent {
  /** The sender's id of the event: its idempotency key. */
  readonly id: string;
  readonly text: string;
  /** Attachments sent with the text. */
  readonly attachments?: readonly Attachment[];
  /** Hash of the content, to distinguish a replay from a reuse of the id. */
  readonly digest: string;
  /** Epoch ms; orders events that are drained together. */
  readonly at: number;
  /** A control of the run, rather than a message. */
  readonly control?: Control;
  /** Set if its text is ours: the model reads it, and people are not shown it. The value is the reason. */
  readonly internal?: 'retry' | 'report' | 'parent';
  /** The run that a control is for; absent on controls of older versions, which are for any run. */
  readonly runId?: string;
  /**
   * For a `wrap_up` of the session that this one works for: epoch ms until which its call waits for the summary. The waits of the run
   * end in time for that.
   */
  readonly until?: number;
  /** Subject of the sender, as the edge has verified it. */
  readonly by?: string;
  /** How the sender was verified, and by which channel the event came; absent on events of older versions. */
  readonly caller?: CallerFacts;
  /**
   * Others whose words the run continues with: those of the run that is retried, or of messages that are sent again beside an
   * edited one.
   */
  readonly carries?: readonly Speaker[];
  /** The session's mode from now on. */
  readonly mode?: Mode;
  /**
   * The id of an earlier event that its sender takes back. A step that finds both leaves both out; if the earlier one was
   * incorporated before, or an attempt at the step came before, this event's text tells the model so.
   */
  readonly withdraws?: string;
  /** Set if a session that works in the background has ended, and its text is its report. */
  readonly report?: Report;
  /** The tools that the sender's page runs, and what it shows. A repetition of the event may differ in it. */
  readonly page?: PageOffer;
  /** Set by `read`: already incorporated. */
  readonly done?: boolean;
}

/** The end of a session that works in the background. */
export interface Report {
  /** {@link ParentCall.id}. */
  readonly id: string;
  /** {@link ParentCall.slot}. */
  readonly slot: number;
  readonly sessionId: string;
  /** The use of its run, with that of its own children. */
  readonly used: Totals;
  /** It was stopped with its parent: the report is counted, begins no run, and the model does not read it. */
  readonly quiet?: true;
}

/** The parts that most events lack. */
type EventExtras = Pick<
  InboxEvent,
  | 'attachments'
  | 'control'
  | 'internal'
  | 'runId'
  | 'until'
  | 'by'
  | 'caller'
  | 'carries'
  | 'mode'
  | 'withdraws'
  | 'report'
  | 'page'
>;

/** The extras of an event, or of what becomes one; without those that are empty. */
export const extrasOf = ({
  attachments,
  control,
  internal,
  runId,
  until,
  by,
  caller,
  carries,
  mode,
  withdraws,
  report,
  page,
}: EventExtras): EventExtras => ({
  ...defined({ attachments, control, internal }),
  ...(runId && { runId }),
  ...defined({ until }),
  ...(by && { by }),
  ...defined({ caller }),
  ...(carries && carries.length > 0 && { carries }),
  ...defined({ mode }),
  ...(withdraws && { withdraws }),
  ...defined({ report }),
  ...defined({ page }),
});

/** Controls of a run: write a summary and end, or end because the run that it works for was cancelled. */
export type Control = 'wrap_up' | 'parent_cancel';

/** Consequences of an event that HEAD knows. */
interface Told {
  readonly wake: Wake;
  /** Set if no step works on the session and the event may have made it due: lists show it as running. */
  readonly began?: Standing;
}

export type AcceptResult =
  | ({ readonly kind: 'accepted' } & Told)
  /** Already accepted. With a `wake` while it waits to be incorporated. */
  | ({ readonly kind: 'duplicate' } & Partial<Told>)
  /** The id was used for another event. */
  | { readonly kind: 'conflict' }
  /** At least {@link MAX_INBOX} events are already waiting. */
  | { readonly kind: 'full' }
  | { readonly kind: 'unknown' };

/** Events that may wait in one session's inbox, which is part of HEAD. Further ones wait beside it ({@link WhenFull}). */
export const MAX_INBOX = 100;

/** The treatment of an event that finds the inbox full: its sender is told so, or it is stored until there is room. */
export type WhenFull = 'refuse' | 'keep';

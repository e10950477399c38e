import type { Clock } from '../agent/ports/ports.ts';
import type { Frame } from '../contract/events.ts';
import type { Recipient, SlackApi, Target } from './api.ts';
import type { AskMessage } from './asks.ts';
import type { Thread } from './remembered.ts';
import type { ThreadSettings } from './settings.ts';

export interface FollowPorts {
  readonly api: SlackApi;
  readonly clock: Clock;
  /** All frames after a cursor, in order, nothing late. */
  readonly frames: (after: number) => Promise<readonly Frame[]>;
  /** Saves the memory. `lost`: another owner follows now. */
  readonly save: (cursor: number, thread: Thread) => Promise<'saved' | 'lost'>;
  /** The outcomes of asks that have been answered, by id, in mrkdwn. */
  readonly outcomes: (asks: readonly AskMessage[]) => Promise<Readonly<Record<string, string>>>;
  /** The content of the session under a hash; undefined if there is none. Rejects if it has more bytes. */
  readonly content: (hash: string, maxBytes: number) => Promise<Uint8Array | undefined>;
  /** Something cannot be shown, even after retries: Slack's error. */
  readonly onMissing: (error: string) => void;
}

export interface Follow extends ThreadSettings {
  readonly sessionId: string;
  readonly target: Target;
  readonly recipient: Recipient;
  /** Seq of the last frame of the last run that was shown. */
  readonly cursor: number;
  readonly thread: Thread;
  /** The session is at work, so there will soon be something to show. */
  readonly expecting: boolean;
  /** Epoch ms by which it must return. */
  readonly deadlineAt: number;
}

export interface Followed {
  readonly cursor: number;
  readonly thread: Thread;
  readonly end: FollowEnd;
}

export type FollowEnd =
  /** Everything in the log is shown. Later frames bring a delivery of their own. */
  | { readonly kind: 'quiet' }
  /** Time ran out, or Slack asked to wait: look again after `ms`, and not before. */
  | { readonly kind: 'again'; readonly ms: number }
  /** Nothing can be posted here any longer. */
  | { readonly kind: 'lost'; readonly error: string }
  /** Another owner follows: nothing may be kept. */
  | { readonly kind: 'superseded' };

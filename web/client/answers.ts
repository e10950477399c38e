import type { ToolsOmitted } from '../../shared/contract/events.ts';
import type { EndingInfo, GrantInfo, WaitInfo } from '../../shared/contract/http.ts';
import type { KeyScope } from '../../shared/contract/identity.ts';
import type { ForkOf, SessionRow } from '../../shared/contract/listing.ts';
import type { PageBody } from '../../shared/contract/page-input.ts';
import type { CreateSchedule, TickInfo } from '../../shared/contract/schedules.ts';
import type { Reason, State, Totals } from '../../shared/contract/session.ts';

/** `GET /sessions/{sessionId}` */
export interface SessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  /** Its title in lists; absent if it has none. */
  readonly title?: string;
  readonly state: State;
  readonly reason?: Reason;
  readonly run?: {
    readonly id: string;
    readonly steps: number;
    readonly toolCalls: number;
    readonly ended: boolean;
  };
  /** How the last finished run ended, with the message of its end. */
  readonly lastEnding?: EndingInfo;
  /** Tools of its sources that it lacks, and why; absent if there are none. */
  readonly omittedTools?: readonly ToolsOmitted[];
  /** For a fork: the session that it comes from, and the first turn that the two do not share. */
  readonly forkOf?: ForkOf;
  readonly totals: Totals;
  /** The waits of its run: for people, or for calls in the tool queue. */
  readonly waits: readonly WaitInfo[];
  /** Calls that people have allowed in advance, as far as the permission still holds. */
  readonly grants: readonly GrantInfo[];
  /** Its callback, if it was created with one. */
  readonly callback?: CallbackInfo;
  /** Seq of the last committed event: subscribe after it to see only new events. */
  readonly cursor: number;
}

/** The callback of a session: where its runs' ends and waits are posted, and how far that has got (docs/webhooks.md). */
export interface CallbackInfo {
  readonly url: string;
  /** `given_up`: the last event was dropped after many tries. `disabled`: the receiver answered 410. */
  readonly state: 'active' | 'given_up' | 'disabled';
  /** Failed tries of the next event. */
  readonly attempts: number;
  /** Status of the last try, or why there was none. */
  readonly lastStatus?: number | string;
  /** ISO 8601: the next try. */
  readonly nextAt?: string;
}

/** Filters of a list of sessions; without one, all that the caller may see. */
export interface SessionsAsked {
  readonly state?: readonly State[];
  /** Why the last run ended, or waits. */
  readonly reason?: Reason;
  readonly agent?: string;
  /** `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  readonly source?: string;
  /** Subject of the user who has started them. */
  readonly user?: string;
  /** Words of the title. */
  readonly q?: string;
  /** ISO 8601: sessions whose last activity is at or after `since`, and before `until`. */
  readonly since?: string;
  readonly until?: string;
  /** `next` of the previous page. */
  readonly cursor?: string;
  /** 50 if absent, at most 100. */
  readonly limit?: number;
}

/** `GET /sessions`: a page may be short, or empty, before the end. */
export interface SessionsPage {
  readonly sessions: readonly SessionRow[];
  /** Set if there may be more: pass it as `cursor`. */
  readonly next?: string;
}

/** A deleted session. */
export interface DeletedSession {
  readonly sessionId: string;
  /** ISO 8601: from then on the session cannot be found. */
  readonly deletedAt: string;
  /** ISO 8601: by then, or some minutes later, all of its data is gone, and its id may be used again. */
  readonly goneBy: string;
}

/** The result of sending a message. */
export interface Accepted {
  readonly sessionId: string;
  readonly eventId: string;
  /** Whether the same request came before, so that this one changed nothing. */
  readonly duplicate: boolean;
}

/** A session that was forked from another one. */
export interface ForkedSession {
  readonly sessionId: string;
  readonly forkOf: ForkOf;
}

/** Options of requests that may be retried. */
export interface Repeatable {
  /** Makes a retry safe: requests with equal keys count as one. */
  readonly idempotencyKey?: string;
}

/** Options of a message. */
export interface MessageOptions extends Repeatable {
  /** The tools of the page that sends it, and what it shows (docs/page-tools.md). */
  readonly page?: PageBody;
}

/** A page of a session's steps. */
export interface StepsPage {
  /** `next` of the previous page. */
  readonly from?: string;
  /** 100 if absent, at most 500. */
  readonly limit?: number;
  readonly order?: 'oldest' | 'newest';
}

/** An API key of the tenant, without its secret. */
export interface KeyInfo {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The last UTC day on which it was used: `YYYY-MM-DD`. */
  readonly lastUsedOn?: string;
  /** ISO 8601. */
  readonly revokedAt?: string;
}

/** A webhook delivery that could not be processed. */
export interface DeadDeliveryInfo {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  /** The sender's id of the delivery. */
  readonly deliveryId: string;
  /** A reason listed in docs/operating.md, hooks-die. */
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
  /** ISO 8601: when the delivery arrived. */
  readonly at: string;
}

/** The body of `POST /schedules`. */
export type NewSchedule = CreateSchedule;

/** A page of outcomes of a schedule's ticks. */
export interface TicksPage {
  readonly ticks: readonly TickInfo[];
  readonly next?: string;
}

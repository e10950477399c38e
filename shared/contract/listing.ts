import type { Reason, State, Totals } from './session.ts';

/** Characters of a session's title. */
export const MAX_TITLE = 120;

/** The state of a session, as lists show it: it changes when a run begins, waits or ends, and with no other step. */
export interface Standing {
  readonly agent: string;
  readonly state: State;
  readonly reason?: Reason;
  /** Model calls of the current run, or of the last one. */
  readonly steps: number;
  /** Totals of the session. */
  readonly totals: Totals;
  /** The part of `totals.costUsd` that sessions below it have used, and list themselves. */
  readonly delegatedUsd?: number;
  /** How the last run ended, in a sentence. */
  readonly message?: string;
  /** Number of decisions that people are asked for. */
  readonly waits?: number;
  /** The model that answered last, as its server names it. */
  readonly model?: string;
  /** Ms from the beginning of the last run to its end, without waits for people; absent while it runs. */
  readonly ranMs?: number;
  /** Epoch ms. */
  readonly at: number;
  /**
   * The higher of two is newer. An owner writes an even number for its own epoch, and a later writer that makes the
   * session due uses one more. Clocks of hosts could not tell.
   */
  readonly order: number;
}

/** A session's name in lists, from its first message on. */
export interface Naming {
  /** At most {@link MAX_TITLE} characters. */
  readonly title: string;
  /** How it was started: `http`, `ag-ui`, `slack`, or `webhook:` and the name of the webhook. */
  readonly source: string;
  /** Subject of the caller who started it, if that is known. */
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The session that it was forked from, and the first slot that it does not share with it. */
  readonly forkOf?: ForkOf;
}

/** The origin of a fork. */
export interface ForkOf {
  readonly sessionId: string;
  readonly below: number;
}

/** A session, as `GET /sessions` lists it: a moment behind `GET /sessions/{sessionId}`. */
export interface SessionRow {
  readonly sessionId: string;
  readonly agent: string;
  /** `running` from when a message is accepted; `idle` while it has never had one of its own. */
  readonly state: State;
  readonly reason?: Reason;
  /**
   * The first line of its first message, unless it was renamed. Empty if the process that started it died at that
   * moment.
   */
  readonly title: string;
  /** How it was started: `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  readonly source: string;
  /** Subject of the caller who started it, if that is known. */
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Set for a fork. */
  readonly forkOf?: ForkOf;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601: when one of its runs last began, waited or ended. Lists are sorted by it. */
  readonly movedAt: string;
  /** Model calls of its last run, at that time. */
  readonly steps: number;
  /** Totals of the session, at that time. */
  readonly totals: Totals;
  /** The part of `totals.costUsd` that sessions below it have used, and list themselves: leave it out of a sum over sessions. */
  readonly delegatedUsd?: number;
  /** How its last run ended, in a sentence. */
  readonly message?: string;
  /** Number of decisions that people are asked for. */
  readonly waits?: number;
  /** The model that answered last, as its server names it. */
  readonly model?: string;
  /** Ms from the beginning of its last run to its end, without waits for people; absent while it runs. */
  readonly ranMs?: number;
}

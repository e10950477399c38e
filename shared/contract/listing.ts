import type { Reason, State, Totals } from './session.ts';

/** Characters of a session's title. */
export const MAX_TITLE = 120;

/** Where a session stands, as lists show it: it changes when a run begins, waits or ends, and with no other step. */
export interface Standing {
  readonly agent: string;
  readonly state: State;
  readonly reason?: Reason;
  /** Model calls of the run that goes, or of the last one. */
  readonly steps: number;
  /** Of the session. */
  readonly totals: Totals;
  /** How the last run ended, in a sentence. */
  readonly message?: string;
  /** How many decisions people are asked for. */
  readonly waits?: number;
  /** Which model has answered last, as its server calls it. */
  readonly model?: string;
  /** Ms from the beginning of the last run to its end, without waits for people; absent while it goes. */
  readonly ranMs?: number;
  /** Epoch ms. */
  readonly at: number;
  /**
   * Of two, the higher one is newer: what an owner says of its own epoch is even, and what somebody says who has made the session due
   * since is one more. Clocks of hosts would not tell.
   */
  readonly order: number;
}

/** What a session is known by in lists, from its first message on. */
export interface Naming {
  /** At most {@link MAX_TITLE} characters. */
  readonly title: string;
  /** Which way it was begun: `http`, `ag-ui`, `slack`, or `webhook:` and the name of the webhook. */
  readonly source: string;
  /** Subject of who has begun it, where that is known. */
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The session that it was forked from, and the first slot that it does not share with it. */
  readonly forkOf?: ForkOf;
}

/** Where a fork comes from. */
export interface ForkOf {
  readonly sessionId: string;
  readonly below: number;
}

/** A session, as `GET /sessions` lists it: a moment behind what `GET /sessions/{sessionId}` says. */
export interface SessionRow {
  readonly sessionId: string;
  readonly agent: string;
  /** `running` from when a message is accepted; `idle` while it has never had one of its own. */
  readonly state: State;
  readonly reason?: Reason;
  /** The first line of its first message, unless somebody has named it. Empty where whoever began it has died right then. */
  readonly title: string;
  /** Which way it was begun: `http`, `ag-ui`, `slack`, or `webhook:` and the webhook's name. */
  readonly source: string;
  /** Subject of who has begun it, where that is known. */
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of a fork. */
  readonly forkOf?: ForkOf;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601: when a run of it last began, waited or ended. Lists are sorted by it. */
  readonly movedAt: string;
  /** Model calls of its last run, as of then. */
  readonly steps: number;
  /** Of the session, as of then. */
  readonly totals: Totals;
  /** How its last run ended, in a sentence. */
  readonly message?: string;
  /** How many decisions people are asked for. */
  readonly waits?: number;
  /** Which model has answered last, as its server calls it. */
  readonly model?: string;
  /** Ms from the beginning of its last run to its end, without waits for people; absent while it goes. */
  readonly ranMs?: number;
}

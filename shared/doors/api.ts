/** The calls of the HTTP API that the doors for other systems (MCP, A2A) use. The published client fits, and so do the routes themselves. */

import type { Decision } from '../contract/ag-ui.ts';
import type { Frame, SnapshotMessage } from '../contract/events.ts';
import type { CreateSession, EndingInfo, WaitDetails, WaitInfo } from '../contract/http.ts';
import type { Reason, State } from '../contract/session.ts';

/** The part of `GET /sessions/{sessionId}` that doors show. */
export interface SessionNow {
  readonly sessionId: string;
  readonly agent: string;
  /** The agent with which it was begun, if another has it now. */
  readonly begunWith?: string | undefined;
  readonly state: State;
  readonly reason?: Reason | undefined;
  readonly lastEnding?: Pick<EndingInfo, 'message' | 'object'> | undefined;
  readonly waits: readonly WaitInfo[];
  /** Seq of the last committed event. */
  readonly cursor: number;
}

/** Requests with the same key count once. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

/** The calls, with their caller's rights. */
export interface Api {
  createSession(
    session: CreateSession,
    options?: Repeatable,
  ): Promise<{ readonly sessionId: string; readonly duplicate: boolean }>;
  addMessage(sessionId: string, message: string, options?: Repeatable): Promise<unknown>;
  session(sessionId: string): Promise<SessionNow>;
  messages(sessionId: string): Promise<SnapshotMessage[]>;
  /** The events after a cursor, and the cursor to ask with next. */
  events(
    sessionId: string,
    after: number,
  ): Promise<{ readonly frames: readonly Frame[]; readonly next: number }>;
  wait(sessionId: string, waitId: string): Promise<WaitDetails>;
  decide(sessionId: string, decision: Decision): Promise<unknown>;
  cancel(sessionId: string): Promise<unknown>;
  /** The sentence with which the API has refused a call; undefined for other errors. */
  refusalOf(error: unknown): string | undefined;
}

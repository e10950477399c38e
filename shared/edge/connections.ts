import type { Identity } from '../contract/identity.ts';
import type { SessionKey } from '../contract/session.ts';

/**
 * How long a connection lasts at most, in ms: API Gateway ends it then (2 hours). Messages over it are refused after
 * that.
 */
export const CONNECTION_MS = 2 * 3600_000;

/**
 * WebSocket connections, and what each follows. Rejects when the store cannot be reached; all but `close` may then be
 * done again. A `close` that rejects may have forgotten what its connection followed: a process that pushes to the
 * connection, or needs its place, finds out that it is gone.
 */
export interface Connections {
  open(connectionId: string, caller: Identity): Promise<void>;
  /** The identity of the connection's caller; undefined when it is not open, or older than {@link CONNECTION_MS}. */
  callerOf(connectionId: string): Promise<Identity | undefined>;
  /** Those of these connections that are no longer open, in the order given. At most 100 may be asked for. */
  gone(connectionIds: readonly string[]): Promise<string[]>;
  /** Notes a subscription, for `close`. `closed` when the connection is gone, or another tenant's. */
  remember(connectionId: string, key: SessionKey): Promise<'remembered' | 'closed'>;
  /** Forgets the connection. Returns the sessions it was subscribed to, by id; the caller tells them. */
  close(connectionId: string): Promise<SessionKey[]>;
}

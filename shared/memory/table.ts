import type { Grave } from '../agent/entrypoints/graves.ts';
import type { CallbackToken, Settled } from '../agent/ports/callbacks.ts';
import type { InboxEvent } from '../agent/ports/inbox.ts';
import type { StoredSlot } from '../agent/ports/sessions.ts';
import type { Pinned } from '../agent/session/pinned.ts';
import type { Slot, ToolResult } from '../agent/session/slots.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Feedback } from '../edge/feedback.ts';
import type { Head } from './head.ts';
import type { Change } from './transitions.ts';

/**
 * Everything that is stored, for the adapters and for a simulator's invariants. Readers must not change it: adapters
 * copy values on the way in, and hand out copies or frozen values.
 */
export interface Table {
  readonly heads: Map<string, Head>;
  /** Tombstones of deleted sessions, which have no HEAD. */
  readonly graves: Map<string, Grave>;
  readonly slots: Map<string, Map<number, StoredSlot>>;
  /** By {@link packsOf}, then the first and the last slot. */
  readonly packs: Map<string, Map<string, readonly Slot[]>>;
  /** By {@link batchOf}, then call id. */
  readonly results: Map<string, Map<string, ToolResult>>;
  readonly events: Map<string, Map<string, InboxEvent>>;
  /** The arrival time of each event that waits for room in the inbox, by its id. */
  readonly lines: Map<string, Map<string, number>>;
  readonly definitions: Map<string, Pinned>;
  /** Tokens of calls that are answered later, by their hashes. */
  readonly grants: Map<string, CallbackToken>;
  /** The time of the last progress report of such a call, and the number of reports, by its token's hash. */
  readonly told: Map<string, { readonly at: number; readonly count: number }>;
  /** The outcomes of such calls, by session, then id. */
  readonly settled: Map<string, Map<string, Settled>>;
  /** Ratings of answers, by session, then run and person. */
  readonly feedback: Map<string, Map<string, Feedback>>;
}

export function createTable(): Table {
  return {
    heads: new Map(),
    graves: new Map(),
    slots: new Map(),
    packs: new Map(),
    results: new Map(),
    events: new Map(),
    lines: new Map(),
    definitions: new Map(),
    grants: new Map(),
    told: new Map(),
    settled: new Map(),
    feedback: new Map(),
  };
}

/** The key of everything that one session owns. The tenant comes first. */
export const pkOf = ({ tenant, sessionId }: SessionKey): string => `${tenant}#${sessionId}`;
export const batchOf = (key: SessionKey, n: number): string => `${pkOf(key)}#${n}`;
export const packsOf = (key: SessionKey, id: string): string => `${pkOf(key)}#packs#${id}`;
export const definitionOf = (tenant: string, hash: string): string => `${tenant}#definition#${hash}`;

/** Carries out a transition of one HEAD, and returns its answer. */
export function apply<Answer>(
  table: Table,
  key: SessionKey,
  transition: (head: Head | undefined) => Change<Answer>,
): Answer {
  const { head, answer } = transition(table.heads.get(pkOf(key)));
  if (head) table.heads.set(pkOf(key), head);
  return answer;
}

/** The map under `key`; it is made if there is none. */
export function mapIn<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const found = maps.get(key) ?? new Map<K, V>();
  maps.set(key, found);
  return found;
}

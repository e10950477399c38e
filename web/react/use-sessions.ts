import { useMemo } from 'react';
import type { CreateSession } from '../../shared/contract/http.ts';
import type { SessionRow } from '../../shared/contract/listing.ts';
import type { Accepted, Repeatable, SessionsAsked } from '../client/http.ts';
import type { Deployment } from './deployment.ts';
import { type Polled, polled } from './polled.ts';
import { useDeployment } from './provider.ts';
import { useStore } from './use-store.ts';

/**
 * Which sessions are listed: all that the caller may see when nothing is said. Other filters are another list, which is read anew: a `since`
 * that is made of the clock is made once, not with each rendering.
 */
export type SessionFilters = Omit<SessionsAsked, 'cursor'>;

/** Sessions, and how to begin one. The functions stay the same. */
export interface UseSessions {
  /** Those first that moved last. */
  readonly sessions: readonly SessionRow[];
  /** They have not been read yet. */
  readonly loading: boolean;
  /** There may be more of them. */
  readonly hasMore: boolean;
  /** Why the last reading failed; what was read before is still shown. */
  readonly error: Error | undefined;
  /** Shows a page more. */
  more(): Promise<void>;
  /** Reads them at once, which happens by itself every 2 s; every 15 s when more than three pages are shown. */
  refresh(): Promise<void>;
  /** Begins a session. Rejects with a `ProblemError` when the server refuses. */
  start(session: CreateSession, options?: Repeatable): Promise<Accepted>;
}

interface Listed {
  readonly sessions: readonly SessionRow[];
  readonly hasMore: boolean;
}

interface ListStore extends Polled<Listed> {
  readonly more: () => Promise<void>;
}

/** Ms between two looks; seldomer when much is shown, since all of it is read again. */
const lookMs = (pages: number): number => (pages <= 3 ? 2_000 : 15_000);

const none: readonly SessionRow[] = [];

/** The list of sessions, kept fresh while it is shown. */
export function useSessions(filters: SessionFilters = {}): UseSessions {
  const deployment = useDeployment();
  // Filters that say the same are the same, whichever object says it.
  const kept = deployment.kept(`sessions ${JSON.stringify(filters)}`, () => listStore(deployment, filters));
  const { data, error } = useStore(kept);
  const actions = useMemo(
    () => ({
      more: kept.more,
      refresh: kept.refresh,
      async start(session: CreateSession, options?: Repeatable) {
        const accepted = await deployment.client.createSession(session, options);
        void kept.refresh();
        return accepted;
      },
    }),
    [deployment, kept],
  );
  return {
    ...actions,
    sessions: data?.sessions ?? none,
    loading: data === undefined && error === undefined,
    hasMore: data?.hasMore ?? false,
    error,
  };
}

/** The sessions of a list, as many pages as are shown. */
export function listStore(deployment: Deployment, filters: SessionFilters): ListStore {
  let pages = 1;
  const kept = polled<Listed>(
    async () => {
      const sessions: SessionRow[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pages; page++) {
        const read = await deployment.client.sessions({ ...filters, ...(cursor && { cursor }) });
        sessions.push(...read.sessions);
        cursor = read.next;
        if (cursor === undefined) break;
      }
      return { sessions: once(sessions), hasMore: cursor !== undefined };
    },
    () => lookMs(pages),
  );
  return {
    ...kept,
    more() {
      if (kept.get().data?.hasMore) pages += 1;
      return kept.refresh();
    },
  };
}

/** Each session once: one that moves while pages are read stands on two of them. */
function once(rows: readonly SessionRow[]): SessionRow[] {
  const seen = new Set<string>();
  return rows.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

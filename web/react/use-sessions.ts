import { useMemo } from 'react';
import type { SessionRow } from '../../shared/contract/listing.ts';
import type { CreateSessionBody } from '../../shared/contract/page-input.ts';
import type { Accepted, Repeatable, SessionsAsked } from '../client/answers.ts';
import type { Deployment } from './deployment.ts';
import { type Polled, polled } from './polled.ts';
import { useDeployment } from './provider.ts';
import { useStore } from './use-store.ts';

/**
 * Filters of the list; all sessions that the caller may see if absent. Other filters mean another list, which is read
 * from the start: compute a `since` from the clock once, not on each render.
 */
export type SessionFilters = Omit<SessionsAsked, 'cursor'>;

/** Sessions, and how to start one. The functions are stable. */
export interface UseSessions {
  /** Most recently active first. */
  readonly sessions: readonly SessionRow[];
  /** Whether the first read is still under way. */
  readonly loading: boolean;
  /** Whether there may be more. */
  readonly hasMore: boolean;
  /** Why the last read failed; the earlier sessions are still shown. */
  readonly error: Error | undefined;
  /** Shows one more page. */
  more(): Promise<void>;
  /** Reads the list at once; otherwise it is read every 2 s, or every 15 s if more than three pages are shown. */
  refresh(): Promise<void>;
  /** Starts a session. Rejects with a `ProblemError` if the server refuses. */
  start(session: CreateSessionBody, options?: Repeatable): Promise<Accepted>;
}

interface Listed {
  readonly sessions: readonly SessionRow[];
  readonly hasMore: boolean;
}

interface ListStore extends Polled<Listed> {
  readonly more: () => Promise<void>;
}

/** Ms between two reads; longer if many pages are shown, since all of them are read again. */
const lookMs = (pages: number): number => (pages <= 3 ? 2_000 : 15_000);

const none: readonly SessionRow[] = [];

/** The list of sessions, kept up to date while it is shown. */
export function useSessions(filters: SessionFilters = {}): UseSessions {
  const deployment = useDeployment();
  // Equal filters share a list, even as different objects.
  const kept = deployment.kept(`sessions ${JSON.stringify(filters)}`, () => listStore(deployment, filters));
  const { data, error } = useStore(kept);
  const actions = useMemo(
    () => ({
      more: kept.more,
      refresh: kept.refresh,
      async start(session: CreateSessionBody, options?: Repeatable) {
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

/** The sessions of a list, on as many pages as are shown. */
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

/** Each session once: one that moves between two page reads is on both. */
function once(rows: readonly SessionRow[]): SessionRow[] {
  const seen = new Set<string>();
  return rows.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

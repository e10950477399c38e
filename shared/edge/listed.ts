import type { Naming, Standing } from '../contract/listing.ts';
import type { Reason, SessionKey, State } from '../contract/session.ts';

/** A session as it appears in lists. */
export interface Listed extends Omit<Standing, 'order'>, Naming {
  readonly sessionId: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Selects sessions of a tenant; all of them by default. */
export interface ListQuery {
  readonly states?: readonly State[];
  readonly reason?: Reason | undefined;
  readonly agent?: string | undefined;
  readonly source?: string | undefined;
  readonly user?: string | undefined;
  /** Words of the title, in any case. */
  readonly words?: string | undefined;
  /** Epoch ms: sessions with activity at or after this time. */
  readonly since?: number | undefined;
  /** Epoch ms: sessions with activity before this time. */
  readonly until?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * Sessions, the most recently active first. A page may be short, or empty, before the end: `next` says that there may
 * be more.
 */
export interface ListedPage {
  readonly sessions: readonly Listed[];
  readonly next?: string;
}

/** A session's name in lists, where a user sets it. */
export type Renaming = Partial<Pick<Naming, 'title' | 'metadata'>>;

/** Lists of sessions, as users see them: a moment behind their sessions. */
export interface ListedSessions {
  page(tenant: string, query: ListQuery): Promise<ListedPage>;
  /** The entry of one session. Strongly consistent. */
  read(key: SessionKey): Promise<Listed | undefined>;
  /** Gives it another title, or replaces its metadata. */
  rename(key: SessionKey, to: Renaming): Promise<'renamed' | 'unknown'>;
}

/** Position of a session in the order of lists: the most recently active come first. */
export const placeOf = ({ at, sessionId }: Pick<Listed, 'at' | 'sessionId'>): string =>
  `${String(at).padStart(15, '0')}#${sessionId}`;

/** Whether a session matches the query, apart from its place and its state. */
export function isAskedFor(
  { reason, agent, source, user, title }: Listed,
  query: Pick<ListQuery, 'reason' | 'agent' | 'source' | 'user' | 'words'>,
): boolean {
  const words = query.words?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const named = title.toLowerCase();
  return (
    (query.reason === undefined || query.reason === reason) &&
    (query.agent === undefined || query.agent === agent) &&
    (query.source === undefined || query.source === source) &&
    (query.user === undefined || query.user === user) &&
    words.every((word) => named.includes(word))
  );
}

import type { Naming, Standing } from '../contract/listing.ts';
import type { Reason, SessionKey, State } from '../contract/session.ts';

/** A session as lists have it. */
export interface Listed extends Omit<Standing, 'order'>, Naming {
  readonly sessionId: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Which sessions of a tenant are asked for; all of them when nothing is said. */
export interface ListQuery {
  readonly states?: readonly State[];
  readonly reason?: Reason | undefined;
  readonly agent?: string | undefined;
  readonly source?: string | undefined;
  readonly user?: string | undefined;
  /** Words of the title, whatever their case. */
  readonly words?: string | undefined;
  /** Epoch ms: those that moved then or later. */
  readonly since?: number | undefined;
  /** Epoch ms: those that moved before. */
  readonly until?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Sessions, the one first that moved last. A page may be short, or empty, before the end: `next` says that there may be more. */
export interface ListedPage {
  readonly sessions: readonly Listed[];
  readonly next?: string;
}

/** What a session is called, where somebody names it. */
export type Renaming = Partial<Pick<Naming, 'title' | 'metadata'>>;

/** Lists of sessions, for whoever looks at them: a moment behind their sessions. */
export interface ListedSessions {
  page(tenant: string, query: ListQuery): Promise<ListedPage>;
  /** What is listed of one session. Strongly consistent. */
  read(key: SessionKey): Promise<Listed | undefined>;
  /** Gives it another title, or other metadata in place of those it has. */
  rename(key: SessionKey, to: Renaming): Promise<'renamed' | 'unknown'>;
}

/** Position of a session in the order of lists: those that moved later come first. */
export const placeOf = ({ at, sessionId }: Pick<Listed, 'at' | 'sessionId'>): string =>
  `${String(at).padStart(15, '0')}#${sessionId}`;

/** Whether a session is one of those that are asked for, by all but its place and its state. */
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

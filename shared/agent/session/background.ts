import type { BackgroundChild, ParentCall } from './parent.ts';
import type { Session } from './session.ts';
import type { ToolResult } from './slots.ts';
import { isAtTask } from './wrap-up.ts';

/** Time in ms after which a report that has not come is no longer expected: its session was deleted before it could report. */
const GIVEN_UP_MS = 24 * 3_600_000;

/** The session with the sessions that a batch has begun in the background. */
export const withBackground = (session: Session, results: readonly ToolResult[]): Session =>
  withList(session, [
    ...(session.background ?? []),
    ...results.flatMap(({ child }) => child?.background ?? []),
  ]);

/** The session without those whose reports it has, and without those whose reports will not come. */
export const withoutReported = (session: Session, reported: readonly string[], now: number): Session =>
  withList(
    session,
    (session.background ?? []).filter(({ id, until }) => !reported.includes(id) && until + GIVEN_UP_MS > now),
  );

/** The list is absent when it is empty: stores look for it. */
function withList({ background: _, ...session }: Session, list: readonly BackgroundChild[]): Session {
  return list.length > 0 ? { ...session, background: list } : session;
}

/** How many sessions may be alive for those that work in the background: they, and as many as they may have below them. */
export const aliveFor = ({ background = [] }: Pick<Session, 'background'>): number =>
  background.reduce((sum, { room }) => sum + 1 + room, 0);

/**
 * Whether a session has read the report of a child. It remembers the child from the commit that has the results of the
 * reply's calls, and until it reads the report. The child may report before that commit.
 */
export const hasReport = (
  { version, background = [] }: Pick<Session, 'version' | 'background'>,
  { slot, id }: Pick<ParentCall, 'slot' | 'id'>,
): boolean => version >= slot + 2 && !background.some((child) => child.id === id);

/**
 * Epoch ms from which on a session in the background is stopped. Undefined once its task has ended: people who write to it
 * afterwards have no such limit.
 */
export const backgroundUntil = (session: Pick<Session, 'parent' | 'run'>): number | undefined =>
  isAtTask(session) ? session.parent?.background?.until : undefined;

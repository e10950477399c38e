import type { InboxEvent } from '../../ports/inbox.ts';
import { withoutReported } from '../../session/background.ts';
import { withUse } from '../../session/charge.ts';
import type { Session } from '../../session/session.ts';

/** The session with the reports among these events counted: their use is its own from now on, and it expects them no more. */
export function withReports(session: Session, events: readonly InboxEvent[], now: number): Session {
  const reports = events.flatMap(({ report, done }) => (report && !done ? [report] : []));
  const counted = reports.reduce((sum, { used }) => withUse(sum, used), session);
  const ids = reports.map(({ id }) => id);
  return session.background ? withoutReported(counted, ids, now) : counted;
}

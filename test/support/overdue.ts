import type { SessionStore, SessionView } from '../../shared/agent/ports/sessions.ts';

/** All sessions that are overdue at a given time, as a read of each shows them, in the order of their page. */
export async function overdueAt(
  { sessions }: { readonly sessions: Pick<SessionStore, 'overdue'> },
  at: number,
): Promise<SessionView[]> {
  const views: SessionView[] = [];
  for await (const page of sessions.overdue(at)) views.push(...page.map(({ sweepAt: _, ...view }) => view));
  return views;
}

import type { SessionStore, SessionView } from '../../shared/agent/ports/sessions.ts';

/** All sessions that are overdue at a moment, as a read of each shows them; those of one page in their order. */
export async function overdueAt(
  { sessions }: { readonly sessions: Pick<SessionStore, 'overdue'> },
  at: number,
): Promise<SessionView[]> {
  const views: SessionView[] = [];
  for await (const page of sessions.overdue(at)) views.push(...page.map(({ sweepAt: _, ...view }) => view));
  return views;
}

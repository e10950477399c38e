import { pageStateOf } from '../../shared/agent/events/page-state.ts';
import { slotsOf } from '../../shared/agent/lineage/slots.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { PageState } from '../../shared/contract/page-state.ts';

/** The committed state of the session's pages. */
export async function committedState(
  { session }: SessionView,
  io: Pick<Ports, 'sessions'>,
): Promise<PageState | undefined> {
  const slots = await slotsOf(session, 0, io.sessions);
  return pageStateOf(slots.map(({ slot }) => slot).filter(({ n }) => n < session.version));
}

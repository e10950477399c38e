import type { Agent } from '../../shared/agent/define/agent.ts';
import { canonicalJson } from '../../shared/agent/plain/hash.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { ClientIds } from '../../shared/contract/ag-ui.ts';
import { isFields, STATE_TOOL } from '../../shared/contract/page-state.ts';
import type { PageContext } from './page-arrivals.ts';

/** Whether the model of the agent can change the state of a page. */
export const sharesState = (name: string | undefined, agents: readonly Agent[]): boolean =>
  agents.find((one) => one.name === name)?.tools.some((tool) => tool.name === STATE_TOOL) ?? false;

/** A page's side of the state that it shares. */
interface Sharing {
  /** The agent of a session that does not exist yet. */
  readonly agent: string | undefined;
  /** The state of the page, as it sent it. */
  readonly state?: unknown;
  /** It only follows the session, so that it may have missed anything. */
  readonly connects: boolean;
}

/**
 * How a page shares its state with the model. One that only follows begins with the state of the session, and so does one that
 * has none, such as after a reload. The state of any other page is newer than what is stored, and stands.
 */
export async function sharingWith(
  { agent, state, connects }: Sharing,
  before: SessionView | undefined,
  { io, agents }: Pick<PageContext, 'io' | 'agents'>,
): Promise<Pick<ClientIds, 'sharesState' | 'state'>> {
  if (!sharesState(before?.session.agent ?? agent, agents)) return { sharesState: false };
  const isEmpty = !isFields(state) || Object.keys(state).length === 0;
  if (!before || !(connects || isEmpty)) return { sharesState: true };
  const { committedState } = await import('./committed-state.ts');
  const stored = await committedState(before, io);
  const isSame = stored === undefined || canonicalJson(stored) === canonicalJson(state ?? {});
  return { sharesState: true, ...(!isSame && { state: stored }) };
}

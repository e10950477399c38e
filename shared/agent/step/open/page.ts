import type { AgUiEvent, ToolsOmitted } from '../../../contract/events.ts';
import type { PageOffer } from '../../../contract/page.ts';
import type { Agent } from '../../define/agent.ts';
import type { Pinned } from '../../session/pinned.ts';
import { readPageTools } from '../../tools/toolset.ts';
import type { Loaded } from './load.ts';

/**
 * The definition of a run that begins with this inbox: with the tools of the page whose message comes first, or without any. A
 * retry keeps those of the run that it retries.
 */
export async function underPage(
  { inbox, pinned }: Pick<Loaded, 'inbox' | 'pinned'>,
  agent: Pick<Agent, 'toolSources' | 'approvals'>,
): Promise<Pinned> {
  const messages = inbox.filter(({ done, control }) => !done && !control);
  if (messages.every(({ internal }) => internal)) return pinned;
  const offer = messages.flatMap(({ page }) => (page && hasTools(page) ? [page] : []))[0];
  if (offer) return (await readPageTools()).withPage(pinned, offer, agent);
  return pinned.page ? (await readPageTools()).withoutPage(pinned) : pinned;
}

const hasTools = ({ tools, omitted = [] }: PageOffer): boolean => tools.length + omitted.length > 0;

/** Tells clients which tools of pages the run does not offer to the model, and why. */
export async function toldOmitted(before: Pinned, { inbox, pinned, view }: Loaded): Promise<AgUiEvent[]> {
  const tell = (tools: ToolsOmitted['tools']): AgUiEvent[] =>
    tools.length > 0
      ? [{ type: 'CUSTOM', name: 'steploop.tools_omitted', value: { source: 'page', tools } }]
      : [];
  if (pinned.page && pinned.page !== before.page) return tell([...(pinned.page.omitted ?? [])]);
  const { run, batch } = view.session;
  const isGoing = run !== undefined && !run.ended && batch === undefined;
  const offers = inbox.flatMap(({ done, page }) => (!done && page && page.tools.length > 0 ? [page] : []));
  if (!isGoing || offers.length === 0) return [];
  const { offerId } = await readPageTools();
  const others = offers.filter((offer) => offerId(offer) !== pinned.page?.offer);
  const why = 'comes in the middle of a run, which keeps the tools that it began with';
  return tell(others.flatMap(({ tools }) => tools.map(({ name: tool }) => ({ tool, why }))));
}

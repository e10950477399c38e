import type { Agent } from '../../define/agent.ts';
import { hashOf, pinGuard, rulesOf } from '../../define/pin.ts';
import type { AnyGuard } from '../../guardrails/guard.ts';
import { canonicalJson } from '../../plain/hash.ts';
import { own } from '../../plain/merge.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Pinned } from '../../session/pinned.ts';
import type { Loaded } from './load.ts';
import { underPage } from './page.ts';

/**
 * Applies the rules of its run to a claimed session. A run begins with the rules of the agent that is deployed then, and keeps
 * them to its end; the prompt, the tools and the model stay the session's, except for the tools of a page (`page.ts`). Rules are part of the definition, which is stored
 * again only if they have changed, so other steps pay nothing for this.
 */
export async function underRules(
  loaded: Loaded,
  agent: Agent | undefined,
  { sessions }: Pick<Ports, 'sessions'>,
): Promise<Loaded> {
  if (!agent) return loaded;
  const { key, view, pinned } = loaded;
  const { session } = view;
  const begins = !session.batch && (!session.run || session.run.ended);
  const changed = begins ? [] : otherVersions(agent.guards, pinned);
  const rules = begins ? rulesOf(agent) : { guards: { ...pinned.guards, ...pinAll(changed) } };
  const offered = begins ? await underPage(loaded, agent) : pinned;
  if (offered === pinned && (begins ? isHeldTo(pinned, rules) : changed.length === 0)) return loaded;

  const held = { ...offered, ...rules };
  const definition = hashOf(held);
  await sessions.putDefinition(key.tenant, definition, held);
  const slices = Object.entries(session.metadata.guardrails);
  const guardrails = Object.fromEntries(
    slices.filter(([name]) => !otherVersions(agent.guards, pinned).some((guard) => guard.name === name)),
  );
  return {
    ...loaded,
    pinned: held,
    view: { ...view, session: { ...session, definition, metadata: { guardrails } } },
  };
}

/** The agent's own guards in a run: those that it began with, with their settings from then and the current code. */
export function ownGuards(deployed: readonly AnyGuard[], { guards }: Pick<Pinned, 'guards'>): AnyGuard[] {
  if (!guards) return [...deployed];
  return deployed.flatMap((guard) => {
    const kept = own(guards, guard.name);
    return kept ? { ...guard, settings: kept.settings } : [];
  });
}

const isHeldTo = ({ limits, guardrails, approvals, guards }: Pinned, rules: object): boolean =>
  canonicalJson({ limits, guardrails, approvals, guards: guards ?? null }) === canonicalJson(rules);

/** Guards whose version differs from the run's: neither settings nor state fit. */
const otherVersions = (deployed: readonly AnyGuard[], { guards = {} }: Pick<Pinned, 'guards'>): AnyGuard[] =>
  deployed.filter((guard) => {
    const kept = own(guards, guard.name);
    return kept !== undefined && kept.version !== pinGuard(guard).version;
  });

const pinAll = (guards: readonly AnyGuard[]) =>
  Object.fromEntries(guards.map((guard) => [guard.name, pinGuard(guard)]));

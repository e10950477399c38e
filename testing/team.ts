/** An agent with the agents that it may ask, or give its session to. */

import type { Agent } from '../shared/agent/define/agent.ts';

/**
 * An agent, and all that it may ask or hand over to.
 *
 * @param named the agents among which those are that it only names; without them they are left out
 */
export function teamOf(agent: Agent, named: readonly Agent[] = []): readonly Agent[] {
  const team = new Set<Agent>();
  const add = (one: Agent): void => {
    if (team.has(one)) return;
    team.add(one);
    for (const { agent: other } of entriesOf(one)) {
      const found = typeof other === 'string' ? named.find(({ name }) => name === other) : (other as Agent);
      if (found) add(found);
    }
  };
  add(agent);
  return [...team];
}

const entriesOf = ({ agents, handoffs }: Agent) => [...Object.values(agents), ...Object.values(handoffs)];

/** An agent, and each of its team that it does not only name, changed in the same way. */
export function eachOf(agent: Agent, change: (one: Agent) => Agent): Agent {
  const changed = <T extends { readonly agent: unknown }>(entries: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        typeof entry.agent === 'string' ? entry : { ...entry, agent: eachOf(entry.agent as Agent, change) },
      ]),
    );
  return { ...change(agent), agents: changed(agent.agents), handoffs: changed(agent.handoffs) };
}

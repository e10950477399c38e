/** Says at synthesis for which agents nobody is asked before a call that must not be made twice. */

import { loadAgents } from './check-agents.ts';

/** What an agent folder exports, as far as it is looked at: it may be of another version. */
interface AgentFolder {
  readonly agents?: readonly {
    readonly name: string;
    readonly approvals: { readonly effects: readonly string[] };
    readonly tools: readonly {
      readonly name: string;
      readonly effect: string;
      readonly approval?: unknown;
    }[];
  }[];
}

/** A sentence for each agent with `once` tools that start without anybody being asked. Never rejects. */
export async function unaskedCalls(folder: string, scratch: string): Promise<string[]> {
  try {
    const { agents = [] } = (await loadAgents(folder, scratch)) as AgentFolder;
    return agents.flatMap(({ name, approvals, tools }) => {
      const unasked = tools.filter(
        ({ effect, approval }) =>
          effect === 'once' &&
          (approval === 'never' || (approval === undefined && !approvals.effects.includes('once'))),
      );
      const names = unasked.map((tool) => tool.name).join(', ');
      return unasked.length === 0
        ? []
        : [`The agent ${name} asks nobody before it calls what must not be done twice: ${names}.`];
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`Whom the agents ask before a call is not known here, since they cannot be loaded: ${why}`];
  }
}

import * as z from 'zod';
import { AgentName } from '../../contract/session.ts';
import { type DelegateInput, delegate } from './delegates.ts';
import { defineTool } from './tool.ts';

/** Agents to which an agent may give its session, by the name under which its model calls them (docs/handoffs.md). */
export const Handoffs = z.record(
  z.string(),
  z.strictObject({
    /** The agent that goes on, one of the deployment's. Give its name where two agents may hand over to each other. */
    agent: z.union([delegate, AgentName]),
    /** When to hand over: the description by which the model decides. */
    when: z.string().min(1),
  }),
);

/** The name of an agent that is given as such, or by its name. */
export const nameOfAgent = (agent: DelegateInput | string): string =>
  typeof agent === 'string' ? agent : agent.name;

const said = {
  what: 'Gives this conversation to another agent, which answers from then on and reads all of it. Call it alone, and at the end of what you do.',
  note: 'For the other agent: what is asked, what was done, and what is left.',
};

const input = z.object({ note: z.string().min(1).max(10_000).describe(said.note) });

/** The tools with which a model gives its session away, one for each agent. */
export const toolsForHandoffs = (handoffs: z.output<typeof Handoffs>) =>
  Object.entries(handoffs).map(([name, { agent, when }]) =>
    Object.freeze({
      ...defineTool({
        name,
        description: `${when}\n\n${said.what}`,
        // It changes the session alone, which a later handoff can undo.
        effect: 'read',
        repeats: 'free',
        touches: () => [],
        input,
        run: () => undefined,
      }),
      handsOffTo: nameOfAgent(agent),
    }),
  );

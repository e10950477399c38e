/** Warns at synthesis about agents whose `once` calls start without asking a person. */

import type { DeploymentFacts } from '../shared/contract/facts.ts';

/** A sentence for each agent with `once` tools that start without approval, and the code to acknowledge it by. */
export function unaskedCalls({ agents }: DeploymentFacts): { code: string; sentence: string }[] {
  return agents
    .filter(({ unasked }) => unasked.length > 0)
    .map(({ name, unasked }) => ({
      code: `steploop:unasked:${name}`,
      sentence: `The agent ${name} calls tools that must not run twice without asking a person: ${unasked.join(', ')}.`,
    }));
}

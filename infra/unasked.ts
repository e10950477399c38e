/** Says at synthesis for which agents nobody is asked before a call that must not be made twice. */

import type { DeploymentFacts } from '../shared/contract/facts.ts';

/** For each agent with `once` tools that start without anybody being asked: a sentence, and the code to acknowledge it by. */
export function unaskedCalls({ agents }: DeploymentFacts): { code: string; sentence: string }[] {
  return agents
    .filter(({ unasked }) => unasked.length > 0)
    .map(({ name, unasked }) => ({
      code: `steploop:unasked:${name}`,
      sentence: `The agent ${name} asks nobody before it calls what must not be done twice: ${unasked.join(', ')}.`,
    }));
}

import { defineAgent } from '../../shared/agent/define/agent.ts';
import { type AgentWorld, agentWorld, type WorldOptions } from '../../testing/agent-world.ts';
import { type ScriptedModel, scriptedModel } from '../../testing/scripted-model.ts';

type AgentInput = Parameters<typeof defineAgent>[0];

/** One session of a test agent, with as much of a definition as the test is about. */
export interface SessionWorld extends Omit<AgentWorld, 'deploy'> {
  /** Deploys the agent with another definition. */
  deploy(definition: Partial<AgentInput>): void;
}

export async function sessionWorld(
  definition: Partial<AgentInput> = {},
  model: ScriptedModel = scriptedModel(),
  options: WorldOptions = {},
): Promise<SessionWorld> {
  const world = agentWorld(agentFrom(definition), model, options);
  return { ...world, deploy: (changed) => world.deploy(agentFrom(changed)) };
}

const agentFrom = (definition: Partial<AgentInput>) =>
  defineAgent({
    name: 'test',
    version: '1',
    model: { name: 'test-model' },
    system: 'Test.',
    ...definition,
  });

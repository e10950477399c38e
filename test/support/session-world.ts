import { defineAgent } from '../../shared/agent/define/agent.ts';
import { type AgentWorld, agentWorld, type WorldOptions } from '../../testing/agent-world.ts';
import { type ScriptedModel, scriptedModel } from '../../testing/scripted-model.ts';
import { strictModel } from './strict-model.ts';

type AgentInput = Parameters<typeof defineAgent>[0];

/** One session of a test agent with a strict model and the parts of a definition that the test sets. */
export interface SessionWorld extends Omit<AgentWorld, 'deploy'> {
  /** Deploys the agent with another definition. */
  deploy(definition: Partial<AgentInput>): void;
}

/** How a session world differs from the default. */
export interface SessionWorldOptions extends WorldOptions {
  /** Why the model answers even what a real server would refuse. Without it, such a request is an error of the step. */
  readonly lax?: string;
}

export async function sessionWorld(
  definition: Partial<AgentInput> = {},
  model: ScriptedModel = scriptedModel(),
  { lax, ...options }: SessionWorldOptions = {},
): Promise<SessionWorld> {
  const asked = lax === undefined ? strictModel(model) : model;
  const world = agentWorld(agentFrom(definition), asked, options);
  return { ...world, deploy: (changed) => world.deploy(agentFrom(changed)) };
}

const agentFrom = (definition: Partial<AgentInput>) =>
  defineAgent({
    name: 'test',
    version: '1',
    model: { name: 'test-model' },
    system: 'Test.',
    // Other tests cover what stands before messages.
    context: { time: 'off', caller: false },
    ...definition,
  });

import { Limits, type WorkspaceLimits } from '../../shared/agent/config/limits.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';

/** The limits of the workspace of an agent's session; the defaults if the agent is no longer deployed. */
export const roomOf = (agent: Agent | undefined): WorkspaceLimits =>
  agent?.limits.workspace ?? Limits.parse({}).workspace;

import { Limits, type WorkspaceLimits } from '../../shared/agent/config/limits.ts';
import type { Agent } from '../../shared/agent/define/agent.ts';

/** What the workspace of an agent's session has room for. Of one that is not deployed any more nobody knows: what is usual. */
export const roomOf = (agent: Agent | undefined): WorkspaceLimits =>
  agent?.limits.workspace ?? Limits.parse({}).workspace;

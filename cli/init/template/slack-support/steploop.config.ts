import { defineDeployment } from 'steploop';
import { support } from './agents/support.ts';

/** The unit of deployment: the agents, and their shared configuration. */
export default defineDeployment({
  agents: [support],
  slack: {
    // Return another agent's name for some channels, or undefined where no agent answers.
    agentFor: () => 'support',
  },
});

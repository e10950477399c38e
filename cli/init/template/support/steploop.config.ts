import { defineDeployment } from 'steploop';
import { support } from './agents/support.ts';

/** The unit of deployment: the agents, and their shared configuration. */
export default defineDeployment({
  agents: [support],
});

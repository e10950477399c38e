import { defineDeployment } from 'steploop';
import { support } from './agents/support.ts';

/** What is deployed together: agents, and what they are given. */
export default defineDeployment({
  agents: [support],
});

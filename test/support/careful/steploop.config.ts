/** The coding agent of the samples, and a copy for Slack that always plans. */

import { defineAgent, defineDeployment } from 'steploop';
import { agent } from '../../../agents/samples/coder/agent.ts';

const careful = defineAgent({ ...agent, name: 'careful', mode: 'plan' });

export default defineDeployment({
  agents: [agent, careful],
  slack: { agentFor: () => 'careful' },
  agui: true,
});

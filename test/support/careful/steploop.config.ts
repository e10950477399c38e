/** The coding agent of the samples, and the same one for Slack, where it always plans. */

import { defineAgent, defineDeployment } from 'steploop';
import { agent } from '../../../agents/samples/coder/agent.ts';

const careful = defineAgent({ ...agent, name: 'careful', mode: 'plan' });

export default defineDeployment({
  agents: [agent, careful],
  slack: { agentFor: () => 'careful' },
  agui: true,
});

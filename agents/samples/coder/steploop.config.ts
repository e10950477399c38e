/** To try it: `npm run dev -- --definition agents/samples/coder/steploop.config.ts`, with a key of a real model in `ANTHROPIC_API_KEY`. */

import { defineDeployment } from 'steploop';
import { agent } from './agent.ts';

export default defineDeployment({ agents: [agent] });

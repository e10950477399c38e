/** To try it: `npm start -- --definition agents/samples/coder/steploop.config.ts`. */

import { defineDeployment } from 'steploop';
import { agent } from './agent.ts';

export default defineDeployment({ agents: [agent] });

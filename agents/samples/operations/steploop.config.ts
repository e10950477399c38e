/** To try it: README.md. */

import { defineDeployment } from 'steploop';
import { agent } from './agent.ts';

export default defineDeployment({
  agents: [agent],
  settings: {
    MONITOR_URL: { description: 'Where the monitoring speaks MCP.', default: 'http://127.0.0.1:4810/mcp' },
    RUNBOOKS_URL: { description: 'Where runbooks are started.', default: 'http://127.0.0.1:4810/runbooks' },
  },
});

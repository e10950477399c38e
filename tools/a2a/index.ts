/** `steploop/a2a`: agents of other systems that speak the Agent2Agent protocol, as tools. Needs `@a2a-js/sdk`. */

export type { RemoteAgentOptions, RemoteAuth } from './options.ts';
export { remoteAgent } from './remote-agent.ts';

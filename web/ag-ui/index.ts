/** `steploop/ag-ui`: a session as an AG-UI agent, on top of `steploop/client`. It needs `@ag-ui/client`. */

export { SteploopAgent, type SteploopAgentConfig } from './agent.ts';

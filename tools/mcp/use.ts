/** The code that speaks with servers, as a module of its own: a step that calls none of their tools does not load it. */
export { callTool } from './call.ts';
export { listTools } from './list.ts';
export { readResource } from './resources.ts';

/**
 * `steploop`: what agents and tools are defined with. Nothing of AWS, of Node or of a browser is imported here.
 */

export { defineGuard } from '../guardrails/guard.ts';
export type { Tool, ToolContext, ToolSpec } from '../tools/tool.ts';
export { type Agent, type AgentDefinition, defineAgent } from './agent.ts';
export { askUser } from './ask-user.ts';
export { defineTool } from './tool.ts';

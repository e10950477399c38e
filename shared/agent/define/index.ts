/**
 * `steploop`: all that a definition is made of. Nothing of AWS, of Node or of a browser is imported here.
 */

export type { Effect } from '../config/effects.ts';
export { defineGuard, type Guard, type Hook } from '../guardrails/guard.ts';
export type { Delta, Message, ModelRequest } from '../ports.ts';
export type { Evidence } from '../session/evidence.ts';
export type { Reply, Used } from '../session/reply.ts';
export type { Json, Slice, Verdict } from '../session/verdict.ts';
export type { SessionBlobs, ToolServices } from '../tools/services.ts';
export type { Tool, ToolContext, ToolSpec } from '../tools/tool.ts';
export { type Agent, type AgentDefinition, defineAgent } from './agent.ts';
export { askUser } from './ask-user.ts';
export { defineDeployment } from './deployment.ts';
export type { Deployment, DeploymentDefinition } from './deployment-keys.ts';
export type { AskedToDecide, Decider, MayDecide } from './may-decide.ts';
export {
  type Answer,
  type Assembly,
  type Dialect,
  defineProvider,
  type Fault,
  type JsonObject,
  type Protocol,
  type ProviderDefinition,
  type ProviderKit,
  type Said,
  type ServerAddress,
  StreamFault,
} from './provider.ts';
export type { SlackConfig, SlackRequest } from './slack.ts';
export { defineTool } from './tool.ts';
export {
  defineWebhook,
  type Wakeup,
  type WebhookEvent,
  type WebhookMapping,
  type WebhookSource,
} from './webhook.ts';

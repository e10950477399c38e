/** `steploop`: everything that a definition consists of. Imports nothing of AWS, of Node or of a browser. */

export type { ApprovalsInput, ApprovalsOption } from '../config/approvals.ts';
export type { Effect } from '../config/effects.ts';
export type { GuardrailsInput } from '../config/guardrails.ts';
export type { Level } from '../config/levels.ts';
export type { Policy, PolicyInput } from '../config/policy.ts';
export type { PresetName } from '../config/presets.ts';
export type { GuardrailsOption } from '../config/resolve.ts';
export {
  type AnyGuard,
  type Done,
  defineGuard,
  type GivenAnswer,
  type Guard,
  type Heard,
  type Hook,
  type Observed,
  type Preflight,
  type Respite,
  type Stages,
} from '../guardrails/guard.ts';
export type {
  FoundFacts,
  Memory,
  MemoryScope,
  MemorySearch,
  RememberedFact,
  SavedFact,
} from '../memories/memory.ts';
export type { EgressInit } from '../ports/egress.ts';
export type { Delta, Message, ModelRequest } from '../ports/provider.ts';
export type { Attachment } from '../session/attachments.ts';
export type { Caller } from '../session/caller.ts';
export type { Evidence } from '../session/evidence.ts';
export type { ToolFacts } from '../session/facts.ts';
export type { NewGrant } from '../session/leave.ts';
export type { PinnedAnswer, PinnedTool } from '../session/pinned.ts';
export type { Reply, Used } from '../session/reply.ts';
export type { Block as ContentBlock, Stop, ToolCall, ToolResult } from '../session/slots.ts';
export type { Task } from '../session/tasks.ts';
export type {
  Allow,
  BlockCall,
  Check,
  Flag,
  Halt,
  Json,
  NotedWarn,
  Nudge,
  ResultNote,
  RuleMetadata,
  SkipCalls,
  Slice,
  TextOnly,
  Verdict,
  Warn,
} from '../session/verdict.ts';
export type { Asking, Later, LaterOptions } from '../tools/later.ts';
export type { SessionBlobs, SourceServices, TaskBoard, ToolServices } from '../tools/services.ts';
export { image, type Shown, type ShownImage, withImages } from '../tools/shown.ts';
export {
  type JsonSchema,
  type ListContext,
  type ListedTool,
  type ToolDeclaration,
  type ToolSource,
  UnusableSource,
} from '../tools/source.ts';
export type { Tool, ToolContext, ToolSpec } from '../tools/tool.ts';
export type { FileEntry } from '../workspace/tree.ts';
export type { Workspace } from '../workspace/workspace.ts';
export { type Agent, type AgentDefinition, type AgentWith, defineAgent } from './agent.ts';
export type { AnswerOf, AnswerSchema } from './answer.ts';
export { askUser } from './ask-user.ts';
export { defineDeployment } from './deployment.ts';
export type { Deployment, DeploymentDefinition } from './deployment-keys.ts';
export type { SessionFacts } from './first-facts.ts';
export type { AskedToDecide, ClickedBy, Decider, MayDecide } from './may-decide.ts';
export { definePolicy } from './policy.ts';
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
  type TooLong,
} from './provider.ts';
export type { SlackConfig, SlackRequest } from './slack.ts';
export { defineTool } from './tool.ts';
export { defineToolSource } from './tool-source.ts';
export {
  defineWebhook,
  type Wakeup,
  type WakeupFile,
  type WebhookDeclaration,
  type WebhookEvent,
  type WebhookMapping,
  type WebhookSource,
} from './webhook.ts';

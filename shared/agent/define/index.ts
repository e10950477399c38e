/** `steploop`: everything that a definition consists of. Imports nothing of AWS, of Node or of a browser. */

export type { Effect } from '../config/effects.ts';
export type { Level } from '../config/levels.ts';
export type { Policy } from '../config/policy.ts';
export { defineGuard, type Guard } from '../guardrails/guard.ts';
export type { Memory, MemoryScope, RememberedFact } from '../memories/memory.ts';
export type { EgressInit } from '../ports/egress.ts';
export type { Delta, Message, ModelRequest } from '../ports/provider.ts';
export type { Attachment } from '../session/attachments.ts';
export type { Caller } from '../session/caller.ts';
export type { Reply } from '../session/reply.ts';
export type { Block as ContentBlock, ToolCall, ToolResult } from '../session/slots.ts';
export type { Task } from '../session/tasks.ts';
export type { Verdict } from '../session/verdict.ts';
export type { SessionSkills } from '../skills/of-session.ts';
export type { Later } from '../tools/later.ts';
export type { SessionBlobs, TaskBoard, ToolServices } from '../tools/services.ts';
export { image, type ShownImage, withImages } from '../tools/shown.ts';
export {
  type JsonSchema,
  type ListContext,
  type ListedTool,
  type ToolDeclaration,
  type ToolSource,
  UnusableSource,
} from '../tools/source.ts';
export type { StopContext, Tool, ToolContext, ToolSpec } from '../tools/tool.ts';
export type { FileEntry } from '../workspace/tree.ts';
export type { Workspace } from '../workspace/workspace.ts';
export { type Agent, defineAgent } from './agent.ts';
export type { AnswerOf } from './answer.ts';
export { askForm } from './ask-form.ts';
export { askUser } from './ask-user.ts';
export {
  type ChannelAnswer,
  type ChannelAsk,
  type ChannelDeclaration,
  type ChannelDefinition,
  type ChannelFile,
  type ChannelMessage,
  type ChannelThread,
  type ChannelTools,
  defineChannel,
} from './channel.ts';
export { defineDeployment } from './deployment.ts';
export type { Deployment } from './deployment-keys.ts';
export type { SessionFacts } from './first-facts.ts';
export { defineForm, type FormQuestion } from './form.ts';
export type { ShapeAgent, ShapeOptions } from './make-shape.ts';
export type { Decider } from './may-decide.ts';
export { definePolicy } from './policy.ts';
export {
  type Answer,
  type Assembly,
  type Dialect,
  defineProvider,
  type JsonObject,
  type Protocol,
  type ProviderKit,
  type ServerAddress,
  StreamFault,
} from './provider.ts';
export {
  type DeclaredSchedule,
  defineSchedule,
  type ScheduleDeclaration,
  type ScheduleMessage,
  type ScheduleTick,
} from './schedule.ts';
export { map, parallel, pipeline, race, vote } from './shapes.ts';
export type { SlackRequest } from './slack.ts';
export { defineTool } from './tool.ts';
export { defineToolSource } from './tool-source.ts';
export {
  defineWebhook,
  type WakeupFile,
  type WebhookEvent,
  type WebhookMapping,
  type WebhookSource,
} from './webhook.ts';
export type { VerifyWebhook, WebhookChallenge, WebhookRequest } from './webhook-verify.ts';

/** `steploop/testing`: plays a session of an agent without a model, without AWS and without waiting. */

export type { LateAnswer } from '../shared/agent/entrypoints/answer.ts';
export type { Caller } from '../shared/agent/session/caller.ts';
export type { Reply } from '../shared/agent/session/reply.ts';
export type { ToolCall, ToolResult } from '../shared/agent/session/slots.ts';
export { type FakeMcpTool, fakeMcp } from './fake-mcp.ts';
export type { FakeTool, Rehearsal, Rehearsed, RehearsedCall } from './rehearsal.ts';
export { rehearse, rehearseCrashes } from './rehearse.ts';
export {
  type Answering,
  calls,
  fails,
  type Scripted,
  type ScriptedRequest,
  says,
  saysAndCalls,
  stops,
  talksUntilStopped,
  usage,
} from './scripted-model.ts';

/** `steploop/testing`: plays a session of an agent without a model, without AWS and without waiting. */

export type { LateAnswer } from '../shared/agent/entrypoints/answer.ts';
export type { Caller } from '../shared/agent/session/caller.ts';
export type { Failure, ModelOutcome, Reply } from '../shared/agent/session/reply.ts';
export type { ToolCall, ToolResult } from '../shared/agent/session/slots.ts';
export type { Spoken } from '../shared/agent/session/verdict.ts';
export type { Wait } from '../shared/agent/session/waits.ts';
export type { Internet } from '../shared/memory/egress.ts';
export {
  type CrashPoint,
  type FakeTool,
  type Rehearsal,
  type Rehearsed,
  type RehearsedCall,
  rehearse,
  rehearseCrashes,
  type ToolStart,
} from './rehearse.ts';
export type { RehearsedMemory } from './remembered.ts';
export {
  type Answering,
  type Asked,
  calls,
  fails,
  type Scripted,
  says,
  saysAndCalls,
  stops,
  talksUntilStopped,
  usage,
} from './scripted-model.ts';

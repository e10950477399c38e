/** `steploop/testing`: plays a session of an agent without a model, without AWS and without waiting. */

export {
  type CrashPoint,
  type FakeTool,
  type Rehearsal,
  type Rehearsed,
  rehearse,
  rehearseCrashes,
  type ToolStart,
} from './rehearse.ts';
export {
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

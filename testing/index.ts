/** `steploop/testing`: plays a session of an agent without a model, without AWS and without waiting. */

export { type Rehearsal, type Rehearsed, rehearse, rehearseCrashes } from './rehearse.ts';
export { calls, fails, says, saysAndCalls, stops } from './scripted-model.ts';

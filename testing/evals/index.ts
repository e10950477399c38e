/** `steploop/evals`: cases that say how well an agent does, played by `steploop eval`. */

export { defineEval, type Eval, type EvalCase, type EvalDefinition, type Fakes } from './define.ts';
export { type RecordedCall, replays } from './replays.ts';
export { type Score, type Scorer, type Scoring, scorer } from './scorer.ts';
export { contains, fits, lacks } from './scorers/answer.ts';
export { type ExpectedCall, neverCalls, type TrajectoryMode, trajectory } from './scorers/calls.ts';
export { type JudgeOptions, judge } from './scorers/judge.ts';
export { type ExpectedVerdicts, ends, guards, type Within, within } from './scorers/run.ts';

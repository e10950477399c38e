import { canonicalJson, hash } from '../../plain/hash.ts';
import { targetOf } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';

/** A failed call that no later call has made up for. */
export type RecordedFailure = {
  readonly tool: string;
  /** The path or command that the call is about, or a hash of its arguments. */
  readonly target: string;
  /** The head of the error; no arguments, which may hold secrets. */
  readonly error: string;
  readonly step: number;
};

/** The state of the guard `failures`. */
export type FailuresState = {
  readonly unresolved: readonly RecordedFailure[];
  /** Step of the last failure that the model was reminded of. */
  readonly told: number;
};

/** Characters kept of an error, and of a target and a tool's name. */
export const ERROR_CHARS = 120;
export const NAME_CHARS = 80;

/** The subject of a call: a path, or a hash of its arguments. */
export const about = (call: ToolCall): string =>
  targetOf(call)?.slice(0, NAME_CHARS) ?? hash(canonicalJson(call.input), 12);

import type { Agent } from '../shared/agent/define/agent.ts';
import type { LateAnswer } from '../shared/agent/entrypoints/answer.ts';
import type { ModelRequest } from '../shared/agent/ports/provider.ts';
import type { Caller } from '../shared/agent/session/caller.ts';
import type { ToolCall, ToolResult } from '../shared/agent/session/slots.ts';
import type { Spoken } from '../shared/agent/session/verdict.ts';
import type { Wait } from '../shared/agent/session/waits.ts';
import type { ToolContext } from '../shared/agent/tools/tool.ts';
import type { AgUiEvent, SnapshotMessage } from '../shared/contract/events.ts';
import type { Reason, State, Totals } from '../shared/contract/session.ts';
import type { Internet } from '../shared/memory/egress.ts';
import type { Files } from './files.ts';
import type { RehearsedMemory } from './remembered.ts';
import type { Answering, Scripted } from './scripted-model.ts';

/** The session to play. */
export interface Rehearsal {
  /** The user's messages. Each further message is sent when the session has come to rest. */
  readonly user: string | readonly string[];
  /** The caller, as tools see it (`context.user`): `user:rehearsal` with a JWT without roles if absent. */
  readonly caller?: Partial<Omit<Caller, 'tenant'>>;
  /**
   * The model's answers, in order: `says`, `calls`, `fails`, or a function of the request. A single function instead of
   * a list answers every request, and is awaited in real time: it may ask a real model.
   */
  readonly model: readonly Scripted[] | Answering;
  /** Agents of the deployment that the agent, or one of its team, hands over to by their names. */
  readonly agents?: readonly Agent[];
  /** Fakes for tools of the agent and its team, by the name that the model calls. A fake gets the parsed input, and answers or throws as the tool would. */
  readonly tools?: Readonly<Record<string, FakeTool>>;
  /** Values for `context.setting(name)` and `context.secret(name)`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Facts that earlier sessions have saved: the caller's, and the tenant's. None if absent. */
  readonly memory?: Partial<RehearsedMemory>;
  /** Answers `context.services.fetch`: a function from a request to a response. If absent, requests fail. */
  readonly internet?: Internet;
  /** Files of the session's workspace at the start, by path: `{ 'src/a.ts': '…' }`. None if absent. */
  readonly workspace?: Files;
  /** The folder beside which the agent's skills are, in its folder `skills`: the working directory if absent. */
  readonly project?: string;
  /**
   * Decides approvals and questions: `true` or `false` for an approval, a text for the answer to a question. If it
   * returns `undefined` or is absent, the wait stays open: then the rehearsal ends while the session waits.
   */
  readonly decides?: (wait: Wait) => boolean | string | undefined;
  /**
   * Answers calls that are answered later (`context.later`): `{ result }` or `{ error }`, as posted to the URL that the
   * tool has given out. If it returns `undefined` or is absent, the calls stay open.
   */
  readonly answersLater?: (wait: Wait) => LateAnswer | undefined;
  /** Where the worker is killed. See {@link rehearseCrashes}. */
  readonly crash?: CrashPoint;
}

/** Stands in for a tool: gets the parsed input, and answers or throws as the tool would. */
// biome-ignore lint/suspicious/noExplicitAny: what a fake takes is its tool's affair
export type FakeTool = (input: any, context: ToolContext<string, string>) => unknown;

/** A place where a worker dies: before or after its nth call to the outside (a store, the queue, the model, a tool), from 1. */
export interface CrashPoint {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** The result of a rehearsal. */
export interface Rehearsed<Answer = unknown> {
  readonly state: State;
  readonly reason?: Reason;
  /** Why the last finished run did not succeed, or what its answer lacks, in words. */
  readonly message?: string;
  /** The last answer of the last finished run. */
  readonly answer?: string;
  /** The structured answer of the last finished run, if the agent declares one (`defineAgent({ answer })`). */
  readonly object?: Answer;
  /** The session's messages, as people see them. */
  readonly transcript: readonly SnapshotMessage[];
  /** The events that a client receives, from the beginning. */
  readonly events: readonly AgUiEvent[];
  /** The guards' verdicts, in order. */
  readonly verdicts: readonly Spoken[];
  /** The model's calls with their results, in order. */
  readonly calls: readonly RehearsedCall[];
  /** Calls that the system made without the model: those of gates' verification, and of approved plans. */
  readonly made: readonly RehearsedCall[];
  /** Each start of a tool's code, or of its fake's. */
  readonly starts: readonly ToolStart[];
  /** The requests to the model. */
  readonly requests: readonly ModelRequest[];
  /** The facts at the end, the caller's and the tenant's, oldest first. */
  readonly memory: RehearsedMemory;
  /** The files of the workspace at the end, as text, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Number of unused answers of the script. */
  readonly left: number;
  /** Committed model calls. */
  readonly steps: number;
  /** Tokens, and USD by the agent's `model.price`, else by the price list; 0 if the price is not known. */
  readonly totals: Totals;
  /** Number of calls to the outside: the highest {@link CrashPoint.nth}. */
  readonly outside: number;
}

/** A call with its result. */
export type RehearsedCall = ToolCall & Pick<ToolResult, 'outcome' | 'content'>;

/** The start of a tool's code. */
export interface ToolStart {
  readonly name: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

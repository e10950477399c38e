import * as z from 'zod';
import type { CallProgress } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';
import { rulesOfEffect } from '../config/effects.ts';
import type { Limits } from '../config/limits.ts';
import type { Memories } from '../memories/store.ts';
import { defined } from '../plain/defined.ts';
import { isTooDeep } from '../plain/depth.ts';
import { jsonWithDigits } from '../plain/digits.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { nearest } from '../plain/nearest.ts';
import { readOnce } from '../plain/read-once.ts';
import { withoutSecrets } from '../plain/redact.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Egress } from '../ports/egress.ts';
import type { CallFailure, Meter } from '../ports/meter.ts';
import type { Clock, ToolConfig } from '../ports/ports.ts';
import { remindersOf } from '../reminders/open.ts';
import type { ReminderPorts } from '../reminders/stored.ts';
import type { Callers } from '../session/caller.ts';
import type { PinnedSkills } from '../session/skills.ts';
import type { ToolCall, ToolResult } from '../session/slots.ts';
import type { Task } from '../session/tasks.ts';
import { sessionSkills } from '../skills/session-skills.ts';
import { workspaceOf } from '../workspace/open.ts';
import type { FilesBefore, OpenWorkspace } from '../workspace/workspace.ts';
import { configFor } from './asked-for.ts';
import { inputFor } from './exact-input.ts';
import { fitOutput, type OutputPlace } from './fit-output.ts';
import { askPerson, type Beyond, type Postponing } from './later.ts';
import { readLater } from './read-later.ts';
import { servicesFor, type TaskBoard } from './services.ts';
import { isShown } from './shown.ts';
import type { Tool, ToolContext } from './tool.ts';

/** The context that one call needs from its step. */
export interface Execution extends Postponing, OutputPlace {
  /** The callers who asked for the run. */
  readonly callers: Callers;
  /** Tells clients how far a call is. */
  readonly tell: (progress: CallProgress) => void;
  /** People's answers to questions of this call. */
  readonly answers: readonly string[];
  /** Whether another worker may have run it before and handed out a token that this run does not know. */
  readonly again: boolean;
  /** Tools of the session, to suggest the nearest one for an unknown name. */
  readonly toolNames?: readonly string[];
  readonly limits: Limits;
  readonly clock: Clock;
  readonly blobs: Blobs;
  /** The session's files as the call begins with them. */
  readonly files: FilesBefore;
  /** The session's tasks as the call begins with them; absent if they cannot be changed. */
  readonly tasks?: readonly Task[];
  /** The session's skills; absent if it has none. */
  readonly skills?: PinnedSkills | undefined;
  readonly egress: Egress;
  readonly memories: Memories;
  readonly schedules: ReminderPorts['schedules'];
  readonly queue: ReminderPorts['queue'];
  /** The session's agent. */
  readonly agent: string;
  readonly config: ToolConfig;
  readonly meter: Meter;
  /** Aborts when the step must stop. */
  readonly signal: AbortSignal;
  /** Epoch ms by which the call must be over. */
  readonly deadlineAt: number;
}

/** Kinds of failed calls, as the model reads them: `Error [kind]: …`. */
type ErrorKind = 'unknown_tool' | 'invalid_arguments' | 'timeout' | 'failed' | 'not_json' | 'refused';

/**
 * Runs one call. Does not reject because of what a tool does: an unknown tool, wrong arguments, a throw, a timeout and a result
 * that is not JSON all become results that the model can read and react to. A call that is answered later, or asks a person,
 * `awaits`.
 */
export async function execute(call: ToolCall, tool: Tool | undefined, on: Execution): Promise<ToolResult> {
  const beyond: Beyond = { handed: new Map(), tokens: [], secrets: [] };
  const result = await carryOut(call, tool, on, beyond);
  if (beyond.lost) throw beyond.lost.error;
  if (result.awaits || (beyond.tokens.length === 0 && !on.again)) return result;
  return (await readLater()).ownOrAnswered(call, result, on);
}

async function carryOut(
  call: ToolCall,
  tool: Tool | undefined,
  on: Execution,
  beyond: Beyond,
): Promise<ToolResult> {
  const startedAt = on.clock.now();
  let progress: string | undefined;
  const markProgress = (marker = '') => {
    progress = marker;
  };
  const finish = async (outcome: ToolResult['outcome'], text: string): Promise<ToolResult> => ({
    callId: call.id,
    name: call.name,
    outcome,
    durationMs: on.clock.now() - startedAt,
    ...defined({ progress }),
    ...(await fitOutput(
      beyond.tokens.length > 0 ? (await readLater()).withoutTokens(text, beyond) : text,
      call,
      on,
    )),
  });
  const fail = (kind: ErrorKind, message: string) => finish('error', `Error [${kind}]: ${message}`);
  const report = (code: CallFailure['code'], error?: unknown) => {
    const durationMs = on.clock.now() - startedAt;
    on.meter.callFailed({ key: on.key, tool: call.name, callId: call.id, code, durationMs, error });
  };

  if (!tool) {
    const near = nearest(call.name, on.toolNames ?? []);
    const hint = near === undefined ? '' : ` The nearest name is ${near}.`;
    return fail('unknown_tool', `there is no tool named ${call.name}.${hint}`);
  }
  const input = await parse(tool, call);
  if (input.kind === 'wrong') return fail('invalid_arguments', `${call.name} was not run.\n${input.why}`);

  if (tool.page) {
    const until = on.clock.now() + tool.page.seconds * 1000;
    return { ...(await finish('ok', '')), awaits: { kind: 'answer', until, page: true } };
  }
  const ran = await runWithin(tool, input.value, call, { ...on, markProgress }, beyond);
  switch (ran.kind) {
    case 'returned': {
      const awaits = beyond.handed.get(ran.value);
      if (awaits) {
        const why = (await readLater()).whyNotAsked(awaits, on.answers);
        return why ? fail('failed', why) : { ...(await finish('ok', '')), awaits };
      }
      const text = toText(ran.value);
      if (text === undefined) {
        report('not_json');
        return fail('not_json', `${call.name} ran, but what it returned is not JSON.`);
      }
      try {
        const changes = await ran.files.end();
        const { attachments, tasks } = ran;
        const result = {
          ...(await finish('ok', text)),
          ...formOf(ran.value),
          ...exitCodeIn(ran.value),
          ...defined({ attachments, tasks }),
        };
        return changes.length > 0 ? { ...result, changes } : result;
      } catch (error) {
        report('failed', error);
        return fail('failed', `${call.name} ran, but its files could not be kept: none of them has changed.`);
      }
    }
    case 'threw':
      report('failed', ran.error);
      return fail('failed', withoutSecrets(messageOf(ran.error), beyond.secrets));
    case 'timed_out':
      report('timeout');
      return fail('timeout', `${call.name} did not finish within ${ran.seconds} s; its outcome is unknown.`);
    default:
      return ran satisfies never;
  }
}

/** Whether the result's text is our JSON, which can be read again. Anything too deep for that is only text. */
const formOf = (value: unknown): Pick<ToolResult, 'json'> =>
  typeof value === 'string' || value === undefined || isTooDeep(value) ? {} : { json: true };

/** Names under which tools return the exit code of what they ran. */
const EXIT_CODES = ['exitCode', 'exit_code', 'exitcode', 'returnCode', 'return_code', 'returncode'];

/**
 * The exit code that a tool which runs commands returns: evidence of what passed. `null` means that the command was killed before
 * it had one.
 */
function exitCodeIn(value: unknown): Pick<ToolResult, 'exitCode'> {
  if (typeof value !== 'object' || value === null) return {};
  const key = EXIT_CODES.find((name) => name in value);
  const code: unknown = key && Reflect.get(value, key);
  if (code === null) return { exitCode: 1 };
  return Number.isInteger(code) ? { exitCode: Number(code) } : {};
}

/** A result for a call that was not run. */
export const notRun = (
  call: ToolCall,
  outcome: 'refused' | 'cancelled' | 'unknown',
  content: string,
): ToolResult => ({
  callId: call.id,
  name: call.name,
  outcome,
  content,
  durationMs: 0,
});

/**
 * The same for every attempt at the call, and for no other call. Some servers count call ids from 0 in each reply, so the slot
 * and the arguments are part of it.
 */
export const idempotencyKey = ({ tenant, sessionId }: SessionKey, slot: number, call: ToolCall): string =>
  `${tenant}:${sessionId}:${slot}:${call.id}:${hash(canonicalJson(call.input), 12)}`;

/** A schema's own transforms and refinements may throw: that counts as wrong arguments too. */
async function parse(
  tool: Tool,
  call: ToolCall,
): Promise<{ kind: 'fine'; value: unknown } | { kind: 'wrong'; why: string }> {
  try {
    const given = inputFor(call, tool);
    if (given.tooLarge) return { kind: 'wrong', why: given.tooLarge };
    const parsed = await tool.input.safeParseAsync(given.input);
    return parsed.success
      ? { kind: 'fine', value: parsed.data }
      : { kind: 'wrong', why: z.prettifyError(parsed.error) };
  } catch (error) {
    return { kind: 'wrong', why: messageOf(error) };
  }
}

/** Time in ms that a call may take: its tool's own, or that of the definition. */
export const limitMsOf = (tool: Tool | undefined, limits: Limits): number =>
  (tool?.timeoutSeconds ?? limits.toolTimeoutSeconds) * 1000;

type Ran =
  | ({ kind: 'returned'; files: OpenWorkspace; tasks: readonly Task[] | undefined } & Returned)
  | { kind: 'threw'; error: unknown }
  | { kind: 'timed_out'; seconds: number };

async function runWithin(
  tool: Tool,
  input: unknown,
  call: ToolCall,
  on: Execution & Pick<ToolContext, 'markProgress'>,
  beyond: Beyond,
): Promise<Ran> {
  const ms = Math.max(0, Math.min(limitMsOf(tool, on.limits), on.deadlineAt - on.clock.now()));
  const over = new AbortController();
  const done = new AbortController();
  const signal = AbortSignal.any([over.signal, on.signal]);
  const one = { ...on.key, ...on.callers, idempotencyKey: idempotencyKey(on.key, on.slot, call) };
  const { changes: writes } = rulesOfEffect(tool.effect);
  const files = workspaceOf({ ...on, limits: on.limits.workspace, writes, signal });
  const board = boardOf(on.tasks);
  const context: ToolContext<string, string> = {
    ...one,
    signal,
    markProgress: on.markProgress,
    progress: progressOf(call, on, beyond),
    later: async (options = {}) => (await readLater()).grantLater(call, options, { ...on, signal }, beyond),
    sleepUntil: async (at, options = {}) => (await readLater()).setTimer(at, options, on.clock.now(), beyond),
    now: () => on.clock.now(),
    ask: (question) => askPerson(question, beyond),
    answers: on.answers,
    ...configFor({ ...tool, called: `the tool ${tool.name}` }, on.config, beyond.secrets),
    services: {
      ...servicesFor(one, on, signal),
      workspace: files.workspace,
      tasks: board,
      reminders: remindersOf({ ...one, agent: on.agent }, on, signal),
      skills: sessionSkills({ ...on, tenant: on.key.tenant, skills: on.skills, signal }),
    },
  };
  const run = Promise.resolve()
    .then(() => {
      const code = () => tool.run(input, context);
      const { key, meter } = on;
      return meter.calling ? meter.calling({ key, tool: tool.name, callId: call.id }, code) : code();
    })
    .then(
      async (value): Promise<Ran> => ({
        ...{ kind: 'returned', files, tasks: board.kept() },
        ...(await seen(value, context, on)),
      }),
    )
    .catch((error): Ran => ({ kind: 'threw', error }));
  const limit = on.clock
    .sleep(ms, done.signal)
    .then((): Ran => ({ kind: 'timed_out', seconds: Math.round(ms / 1000) }));
  const ran = await Promise.race([run, limit]);
  done.abort('done');
  if (ran.kind === 'timed_out') over.abort(new Error('the tool took too long'));
  return ran;
}

/** Characters of JSON of a list of tasks: the list is part of HEAD. */
const MAX_TASKS = 8_000;

/** The tasks as one call sees and leaves them. */
function boardOf(before: readonly Task[] | undefined): TaskBoard & { kept(): readonly Task[] | undefined } {
  let kept: readonly Task[] | undefined;
  return {
    list: () => kept ?? before ?? [],
    keep(tasks) {
      if (JSON.stringify(tasks).length > MAX_TASKS)
        throw new Error(`a list of tasks has up to ${MAX_TASKS} characters of JSON`);
      if (!before)
        throw new Error('the list of tasks is not to be changed here: let the tool run in its step');
      kept = tasks;
    },
    kept: () => kept,
  };
}

/** The value that a tool has returned, and the attachments that the model sees. */
type Returned = { readonly value: unknown } & Pick<ToolResult, 'attachments'>;

/** Loads the code that stores images, once per process: few tools show any. */
export const readShowing = readOnce(() => import('./show.ts'));

const seen = async (value: unknown, { services }: ToolContext, on: Execution): Promise<Returned> =>
  isShown(value) ? (await readShowing()).keepShown(value, on.key, services, on.blobs) : { value };

/** Pause in ms between two progress messages; the last one is always sent. */
const TELL_MS = 200;
/** Characters of a progress message. */
const MAX_TOLD = 500;

function progressOf(
  { id }: ToolCall,
  { tell, clock }: Execution,
  { tokens, secrets }: Beyond,
): ToolContext['progress'] {
  let toldAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  return (message, share) => {
    const text = withoutSecrets(String(message), secrets).slice(0, MAX_TOLD).toWellFormed();
    const isSecret = tokens.some((token) => text.includes(token));
    if (isSecret || (clock.now() - toldAt < TELL_MS && (share !== 1 || isOver))) return;
    toldAt = clock.now();
    isOver = share === 1;
    const known = share !== undefined && share >= 0 && share <= 1;
    tell({ toolCallId: id, message: text, ...(known && { share }) });
  };
}

/** JSON as text; undefined if the value has none. A tool that returns nothing has succeeded. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'ok';
  try {
    return jsonWithDigits(value);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === 'object') return toText(error) ?? 'it threw something that has no text';
  return String(error);
}

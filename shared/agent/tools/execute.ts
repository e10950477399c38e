import * as z from 'zod';
import type { SessionKey } from '../../contract/session.ts';
import type { Limits } from '../define.ts';
import type { Blobs, Clock, ToolConfig } from '../ports.ts';
import type { ToolCall, ToolResult } from '../slots.ts';
import { texts } from '../texts.ts';
import type { Tool } from './define.ts';

/** What one call needs of its step. */
export interface Execution {
  readonly key: SessionKey;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly config: ToolConfig;
  /** Aborts when the step must stop. */
  readonly signal: AbortSignal;
  /** Epoch ms by which the call must be over. */
  readonly deadlineAt: number;
}

/** Kinds of failed calls, as the model reads them: `Error [kind]: …` (A13). */
type ErrorKind = 'unknown_tool' | 'invalid_arguments' | 'timeout' | 'failed' | 'not_json' | 'refused';

/**
 * Runs one call. Never rejects: an unknown tool, wrong arguments, a throw, a timeout and an answer that is not
 * JSON are all results that the model can read and react to (A13).
 */
export async function execute(call: ToolCall, tool: Tool | undefined, on: Execution): Promise<ToolResult> {
  const startedAt = on.clock.now();
  const finish = async (outcome: ToolResult['outcome'], text: string): Promise<ToolResult> => ({
    callId: call.id,
    name: call.name,
    outcome,
    durationMs: on.clock.now() - startedAt,
    ...(await fitOutput(text, call, on)),
  });
  const fail = (kind: ErrorKind, message: string) => finish('error', `Error [${kind}]: ${message}`);

  if (!tool) return fail('unknown_tool', `there is no tool named ${call.name}.`);
  const input = await tool.input.safeParseAsync(call.input);
  if (!input.success)
    return fail('invalid_arguments', `${call.name} was not run.\n${z.prettifyError(input.error)}`);

  const ran = await runWithin(tool, input.data, call, on);
  switch (ran.kind) {
    case 'returned': {
      const text = toText(ran.value);
      return text === undefined
        ? fail('not_json', `${call.name} ran, but what it returned is not JSON.`)
        : finish('ok', text);
    }
    case 'threw':
      return fail('failed', ran.message);
    case 'timed_out':
      return fail('timeout', `${call.name} did not finish within ${ran.seconds} s; its outcome is unknown.`);
    default:
      return ran satisfies never;
  }
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

/** The same for every attempt at the call (invariant 14). */
export const idempotencyKey = (key: SessionKey, call: ToolCall): string =>
  `${key.tenant}:${key.sessionId}:${call.id}`;

type Ran =
  | { kind: 'returned'; value: unknown }
  | { kind: 'threw'; message: string }
  | { kind: 'timed_out'; seconds: number };

async function runWithin(tool: Tool, input: unknown, call: ToolCall, on: Execution): Promise<Ran> {
  const limitMs = (tool.timeoutSeconds ?? on.limits.toolTimeoutSeconds) * 1000;
  const ms = Math.max(0, Math.min(limitMs, on.deadlineAt - on.clock.now()));
  const over = new AbortController();
  const done = new AbortController();
  const context = {
    idempotencyKey: idempotencyKey(on.key, call),
    ...on.key,
    signal: AbortSignal.any([over.signal, on.signal]),
    setting: (name: string) => required(on.config.setting(name), name),
    secret: (name: string) => on.config.secret(name),
  };
  const run = Promise.resolve()
    .then(() => tool.run(input, context))
    .then(
      (value): Ran => ({ kind: 'returned', value }),
      (error): Ran => ({ kind: 'threw', message: messageOf(error) }),
    );
  const limit = on.clock
    .sleep(ms, done.signal)
    .then((): Ran => ({ kind: 'timed_out', seconds: Math.round(ms / 1000) }));
  const ran = await Promise.race([run, limit]);
  done.abort();
  if (ran.kind === 'timed_out') over.abort(new Error('the tool took too long'));
  return ran;
}

/** JSON as text; undefined when the value has none. A tool that returns nothing has succeeded. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'ok';
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Keeps a long output whole in the blob store and shows the model its head, and says so (A13). */
async function fitOutput(
  text: string,
  call: ToolCall,
  on: Execution,
): Promise<Pick<ToolResult, 'content' | 'blob'>> {
  const limit = on.limits.maxToolOutputChars;
  if (text.length <= limit) return { content: text === '' ? 'ok' : text };
  const blob = `${on.key.tenant}/${on.key.sessionId}/results/${call.id}`;
  await on.blobs.put(blob, text);
  return { content: text.slice(0, limit) + texts.outputCut(limit, text.length), blob };
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`this deployment has no setting ${name}`);
  return value;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

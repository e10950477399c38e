/** Code for calls that are answered later, or ask a person. Loaded by the first such call in a process. */

import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { canonicalJson, hash } from '../plain/hash.ts';
import { zoneNamed } from '../plain/zones.ts';
import type { Settled } from '../ports/callbacks.ts';
import { mayHaveRun } from '../session/may-have-run.ts';
import type { Awaits, ToolCall, ToolResult } from '../session/slots.ts';
import { fitOutput, type OutputPlace } from './fit-output.ts';
import type { Beyond, Later, LaterOptions, Postponing, Timer, TimerOptions } from './later.ts';

/** Seconds to wait for an answer if a tool does not say: as long as for people. */
const A_DAY = 86_400;
/** The longest wait in seconds, as for people (`config/approvals.ts`). */
const MOST_SECONDS = 30 * A_DAY;
/** The longest timer in ms: a year. */
const MOST_TIMER_MS = 366 * A_DAY * 1000;
/** Tokens that one run of a call may give out. */
const MOST_TOKENS = 10;

/** Questions that one call may ask. */
const MOST_QUESTIONS = 10;

/** The id of a call's late answer, and of the wait for it. Different for each slot, call, tool and arguments. */
export const laterId = ({ tenant, sessionId }: SessionKey, slot: number, call: ToolCall): string =>
  hash(`callback:${tenant}:${sessionId}:${slot}:${call.id}:${call.name}:${canonicalJson(call.input)}`);

/** The stored form of a token: the whole digest. */
export const hashOfToken = (token: string): string => hash(token, 64);

/** A timer for a call that ends by returning it. Throws if it is too far away. @param at epoch ms */
export function setTimer(at: number, { zone, reason }: TimerOptions, now: number, beyond: Beyond): Timer {
  if (!(Math.abs(at - now) <= MOST_TIMER_MS))
    throw new Error('sleepUntil(): the moment is at most 366 days away');
  const timer = { until: new Date(at).toISOString() };
  beyond.handed.set(timer, {
    kind: 'timer',
    until: at,
    zone: zoneNamed(zone) ?? 'UTC',
    ...defined({ reason }),
  });
  return timer;
}

/** The result of a call that was not answered in time. */
export const unanswered = ({ callId, name }: Pick<ToolResult, 'callId' | 'name'>): ToolResult => ({
  callId,
  name,
  outcome: 'unknown',
  content:
    'Error [no_answer]: this call was begun, and its answer has not come in time. It may or may not have taken effect. Check before you make it again.',
  durationMs: 0,
});

/** A text with the tokens removed: a service may repeat in its errors what it was sent. */
export const withoutTokens = (text: string, { tokens }: Pick<Beyond, 'tokens'>): string =>
  tokens.reduce((cut, token) => cut.replaceAll(token, '[token]'), text);

/** Why a question cannot be asked. */
export function whyNotAsked(awaits: Awaits, before: readonly string[]): string | undefined {
  if (awaits.kind !== 'person') return undefined;
  if (typeof awaits.question !== 'string' || !awaits.question.trim()) return 'ask(): the question is empty';
  return before.length < MOST_QUESTIONS
    ? undefined
    : `ask(): a call asks ${MOST_QUESTIONS} questions at most`;
}

/**
 * A new token for a call. It is stored before it is given out, and given out only when the reply that made the call is stored.
 * Throws if too many are requested, or for too long.
 */
export async function grantLater(
  call: ToolCall,
  { expiresAfterSeconds = A_DAY }: LaterOptions,
  on: Postponing,
  beyond: Beyond,
): Promise<Later> {
  const { handed, tokens } = beyond;
  if (!(expiresAfterSeconds >= 1 && expiresAfterSeconds <= MOST_SECONDS))
    throw new Error(`later(): expiresAfterSeconds is 1 to ${MOST_SECONDS}`);
  if (tokens.length >= MOST_TOKENS) throw new Error(`later(): a call has ${MOST_TOKENS} tokens at most`);
  // Two ids, of 128 random bits and more each.
  const token = `slt_${on.ids.next()}${on.ids.next()}`;
  tokens.push(token);
  const until = on.clock.now() + Math.round(expiresAfterSeconds * 1000);
  const { key, slot } = on;
  const grant = {
    ...key,
    slot,
    callId: call.id,
    name: call.name,
    id: laterId(key, slot, call),
    expiresAt: until,
  };
  await on.slotKept.catch((error: unknown) => {
    beyond.lost = { error };
    throw error;
  });
  // A call that already has a result is settled without this token: an answer to it would count, and not be read.
  on.signal.throwIfAborted();
  await on.later.grant(hashOfToken(token), grant).catch((cause: unknown) => {
    throw new Error('later(): the token could not be kept, so none was given out', { cause });
  });
  on.signal.throwIfAborted();
  const later = { url: on.later.urlOf(token), token, expiresAt: new Date(until).toISOString() };
  handed.set(later, { kind: 'answer', until });
  return later;
}

/**
 * The settled outcome of a call, as its result. A long answer from outside is stored whole, and cut for the model, like a tool's
 * output.
 */
export async function resultOf({ result, digest }: Settled, on: OutputPlace): Promise<ToolResult> {
  if (digest === undefined) return { ...result, late: true };
  const { blob: _, ...answer } = result;
  return { ...answer, ...(await fitOutput(answer.content, { id: answer.callId }, on)), late: true };
}

/**
 * The settled outcome of a call that has given tokens out, now or when it ran before, and still came to a result of its own. An
 * answer may have been faster, and its sender was told that it counts.
 */
export async function ownOrAnswered(
  call: ToolCall,
  result: ToolResult,
  on: OutputPlace & Pick<Postponing, 'later'>,
): Promise<ToolResult> {
  const { stands } = await on.later.settle(on.key, laterId(on.key, on.slot, call), { result });
  return resultOf(standsOver(stands, result), on);
}

/**
 * The settled outcome of a call that has come to `own`. A stalled owner that did not know of the run may have recorded that the
 * call was not run; the owner that ran it has the better record.
 */
export const standsOver = (stands: Settled, own: ToolResult): Settled =>
  stands.digest === undefined && !mayHaveRun(stands.result) && mayHaveRun(own) ? { result: own } : stands;

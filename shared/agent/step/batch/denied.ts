import { rulesOfEffect } from '../../config/effects.ts';
import type { Grant, Leave, Leaves, PersonDecision, SaidToCalls } from '../../session/leave.ts';
import type { Session } from '../../session/session.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { texts } from '../../texts.ts';
import { notRun } from '../../tools/execute.ts';
import type { Tool } from '../../tools/tool.ts';

/**
 * The result of a call that must not run, or that needs a person when no person can be asked. Pure.
 *
 * @param mayHaveBegun a dead owner may have begun it
 */
export function deniedBy(
  { decision, rule }: Leave,
  call: ToolCall,
  tool: Tool | undefined,
  deserted: boolean,
  mayHaveBegun: boolean,
): ToolResult | undefined {
  const isAsked = decision === 'ask' && (!deserted || tool?.where === 'person');
  if (decision === 'allow' || isAsked) return undefined;
  const why = decision === 'forbid' ? texts.forbidden(rule) : texts.nobodyToAsk(rule);
  return refusedNow(call, tool, why, mayHaveBegun);
}

/** The result of a call that must not start. If a dead owner may have started it without a record, the outcome is unknown. */
export function refusedNow(
  call: ToolCall,
  tool: Tool | undefined,
  why: string,
  mayHaveBegun: boolean,
): ToolResult {
  const rules = tool && rulesOfEffect(tool.effect);
  const isUnknown = mayHaveBegun && tool?.where !== 'queue' && rules?.changes && rules.fence !== 'record';
  return isUnknown ? notRun(call, 'unknown', texts.unknownOutcome) : notRun(call, 'refused', why);
}

/** The session with other grants. Without grants the list is absent, as in a session that never had any. */
export function withGrants({ grants: _, ...session }: Session, grants: readonly Grant[]): Session {
  return { ...session, ...(grants.length > 0 && { grants }) };
}

/** Stored form: who has denied calls of a batch or answered their questions. */
export function saidToOf(calls: readonly { readonly call: ToolCall; readonly said?: PersonDecision }[]): {
  readonly saidTo?: SaidToCalls;
} {
  const known = calls.flatMap(({ call, said }) => (said ? [[call.id, said] as const] : []));
  return known.length > 0 ? { saidTo: Object.fromEntries(known) } : {};
}

/** Stored form: what was decided on the calls of a batch. */
export function leavesOf(calls: readonly { readonly call: ToolCall; readonly leave?: Leave }[]): {
  readonly leaves?: Leaves;
} {
  const known = calls.flatMap(({ call, leave }) => (leave ? [[call.id, leave] as const] : []));
  return known.length > 0 ? { leaves: Object.fromEntries(known) } : {};
}

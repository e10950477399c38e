/**
 * Whether calls may run, by policies and by people's grants (docs/leave.md): the one evaluation, for a step and for the queue.
 * Loaded by the first agent of a process that has a policy, or whose people have granted something.
 */

import type { Policies } from '../config/policies.ts';
import type { Policy } from '../config/policy.ts';
import { loadExpressions } from '../plain/expressions.ts';
import { policiesOf } from '../policy/applying.ts';
import { evaluate } from '../policy/evaluate.ts';
import { covering } from '../policy/grants.ts';
import { levelOf } from '../policy/levels.ts';
import type { Pattern, SeenCall } from '../policy/match.ts';
import type { Leave } from '../session/leave.ts';
import { hasAsked } from '../session/requesters.ts';
import type { Session } from '../session/session.ts';
import type { ToolCall } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { asksItself, type LeaveOf } from './asking.ts';
import { leaveToPropose } from './planning.ts';
import { readInput, readingDigest } from './reading.ts';
import type { Tool } from './tool.ts';

export { standIn } from './planning.ts';

/** The inputs of decisions on the calls of a session. */
export interface Under {
  readonly agent: Policies;
  readonly session: Pick<Session, 'run'>;
  /** Effects that need approval in the run, if its agent has no policy of its own. */
  readonly effects: readonly Tool['effect'][];
  /** Epoch ms. */
  readonly now: number;
  /** Whether changes are proposed and not made. */
  readonly proposes?: boolean;
}

/** Decides on calls by the policies of the people who asked for the run, and by grants. */
export async function leaveUnder({ agent, session, effects, now, proposes }: Under): Promise<LeaveOf> {
  const policies = policiesOf(agent, session.run);
  const pattern = await patternsOf(policies);
  const asked = agent.policy ? [] : effects;
  const maySelf = agent.approvals?.requesterMayDecide ?? true;
  const requesters = session.run?.requesters ?? [];
  const leaveOf: LeaveOf = (call, tool, given) => {
    // People cannot grant themselves what they may not approve for themselves.
    const grants = maySelf ? given : given.filter(({ by }) => !hasAsked(requesters, by));
    const seen = tool && seenCall(call, tool);
    // The call fails by itself.
    if (!tool || !seen) return undefined;
    // Without any grant, no digest is needed.
    const grant =
      grants.length > 0
        ? covering(grants, { ...coveredBy(call, tool, seen), run: session.run?.id ?? '' }, now)
        : undefined;
    return evaluate({ policies, call: seen, asks: asksItself(call, tool, asked), grant, pattern });
  };
  return proposes ? leaveToPropose(leaveOf) : leaveOf;
}

/** A call as policies see it; undefined if its arguments are wrong. */
function seenCall(call: ToolCall, tool: Tool): SeenCall | undefined {
  const reading = readInput(call, tool);
  if (reading.kind === 'wrong') return undefined;
  const input = reading.kind === 'read' ? { input: { value: reading.value } } : {};
  const level = levelOf(tool, input.input);
  return { tool: call.name, effect: tool.effect, level, ...input };
}

const coveredBy = (call: ToolCall, tool: Tool, { level }: SeenCall) => ({
  ...{ tool: call.name, level },
  digest: readingDigest(call, tool),
});

/** A call in the form in which a grant for it would cover others; undefined if its arguments are wrong. */
export function coveredCall(call: ToolCall, tool: Tool | undefined) {
  const seen = tool && seenCall(call, tool);
  return seen && coveredBy(call, tool, seen);
}

/** Changes of grants since calls were decided on. */
interface Since {
  /** Epoch ms. */
  readonly now: number;
  /** The revoked grants. */
  readonly revoked: readonly string[];
}

/**
 * Why a call must not start now, although its batch was allowed to begin: a policy may forbid it by now, or its grant may have
 * expired. Undefined if it may start.
 *
 * @param taken the permission that it had when its batch was planned
 */
export function whyNotNow(
  call: ToolCall,
  tool: Tool | undefined,
  taken: Leave | undefined,
  leaveOf: LeaveOf,
  { now, revoked }: Since,
): (Leave & { readonly result: string }) | undefined {
  const today = leaveOf(call, tool, []);
  if (!today) return undefined;
  switch (today.decision) {
    case 'forbid':
      return { ...today, result: texts.forbidden(today.rule) };
    case 'ask': {
      if (taken?.by !== undefined) return undefined;
      const isGranted =
        taken?.grant !== undefined &&
        (taken.until === undefined || taken.until > now) &&
        !revoked.includes(taken.grant);
      return isGranted ? undefined : { ...today, result: texts.leaveOver };
    }
    case 'allow':
      return undefined;
    default:
      return today.decision satisfies never;
  }
}

/** The text that the model reads about a queued call that must not begin ({@link whyNotNow}); undefined if it may. */
export const refusalNow = async (
  call: ToolCall,
  tool: Tool | undefined,
  taken: Leave | undefined,
  under: Under & Since,
): Promise<string | undefined> => whyNotNow(call, tool, taken, await leaveUnder(under), under)?.result;

/** Longest text in characters that an expression is matched against. For a longer one the answer is unknown. */
const MAX_TEXT = 20_000;
/** Longest search in characters times instructions: about a second. */
const MAX_SEARCH = 25_000_000;

/** The regular expressions of policies. They run on RE2, because a model writes the texts that they are matched against. */
async function patternsOf(policies: readonly Policy[]): Promise<Pattern> {
  const conditions = policies.flatMap(({ rules }) => rules.flatMap(({ when }) => when));
  const expressions = conditions.flatMap(({ matches }) => matches ?? []);
  if (expressions.length === 0) return () => undefined;
  const { compile } = await loadExpressions();
  const compiled = new Map(
    expressions.map((expression) => {
      try {
        return [expression, compile(expression)] as const;
      } catch {
        return [expression, undefined] as const;
      }
    }),
  );
  return (expression, text) => {
    const found = compiled.get(expression);
    if (!found || text.length > MAX_TEXT || text.length * found.parts > MAX_SEARCH) return undefined;
    return found.test(text);
  };
}

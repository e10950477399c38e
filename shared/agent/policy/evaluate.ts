import type { Decided, Policy } from '../config/policy.ts';
import type { Grant, Leave } from '../session/leave.ts';
import { type Pattern, ruleMatches, type SeenCall } from './match.ts';
import { modes } from './modes.ts';

/** What a decision on a call goes by. */
export interface Evaluated {
  /** All that apply: the strictest decides. */
  readonly policies: readonly Policy[];
  readonly call: SeenCall;
  /** What asks whatever policies allow: the tool itself, or its effect where there is no policy. */
  readonly asks?: string | undefined;
  /** The first of the grants that cover the call ({@link covering}). */
  readonly grant?: Grant | undefined;
  readonly pattern: Pattern;
}

const strictness: Record<Decided, number> = { allow: 0, ask: 1, forbid: 2 };

/**
 * Whether a call may run. Pure, and the same in whatever order policies and rules stand: what forbids wins over everything, then comes a
 * grant that covers the call, then what asks, then what allows. A policy of which no rule says anything decides by its mode.
 * Undefined when nobody says anything: then it runs, and there is nothing to keep of it.
 */
export function evaluate({ policies, call, asks, grant, pattern }: Evaluated): Leave | undefined {
  const said = policies.flatMap((policy) => {
    const matching = policy.rules.filter((rule) => ruleMatches(rule, call, pattern));
    if (matching.length > 0)
      return matching.map(({ decision, name }): Leave => ({ decision, rule: `${policy.name}.${name}` }));
    const decision = modes[policy.mode][call.level];
    // Most calls: nothing is said of what a mode allows.
    if (decision === 'allow') return [];
    return [{ decision, rule: `${policy.name} (${policy.mode}, ${call.level})` }];
  });
  const all: Leave[] = asks === undefined ? said : [...said, { decision: 'ask', rule: asks }];
  const [first, ...others] = all;
  if (!first) return undefined;
  const strictest = others.reduce(stricter, first);
  if (strictest.decision !== 'ask' || !grant) return strictest;
  const { id, until } = grant;
  return { ...strictest, decision: 'allow', grant: id, ...(until !== undefined && { until }) };
}

/** Of two that are equally strict the first by name, so that the order in which they stand shows nowhere. */
function stricter(one: Leave, other: Leave): Leave {
  const more = strictness[other.decision] - strictness[one.decision];
  return more > 0 || (more === 0 && other.rule < one.rule) ? other : one;
}

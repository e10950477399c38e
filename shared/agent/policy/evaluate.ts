import type { Decided, Policy } from '../config/policy.ts';
import { defined } from '../plain/defined.ts';
import type { Grant, Leave } from '../session/leave.ts';
import { type Pattern, ruleMatches, type SeenCall } from './match.ts';
import { modes } from './modes.ts';

/** The inputs of a decision on a call. */
export interface Evaluated {
  /** All that apply; the strictest decides. */
  readonly policies: readonly Policy[];
  readonly call: SeenCall;
  /** The reason to ask regardless of policies: the tool itself, or its effect where there is no policy. */
  readonly asks?: string | undefined;
  /** The first of the grants that cover the call ({@link covering}). */
  readonly grant?: Grant | undefined;
  readonly pattern: Pattern;
}

const strictness: Record<Decided, number> = { allow: 0, ask: 1, forbid: 2 };

/**
 * Whether a call may run. Pure, and independent of the order of policies and rules. First comes what forbids, then a grant that
 * covers the call, then what asks, then what allows. A policy without a matching rule decides by its mode. Undefined if nothing
 * has a say: then the call runs, and there is no decision to keep.
 */
export function evaluate({ policies, call, asks, grant, pattern }: Evaluated): Leave | undefined {
  const said = policies.flatMap((policy) => {
    const matching = policy.rules.filter((rule) => ruleMatches(rule, call, pattern));
    if (matching.length > 0)
      return matching.map(({ decision, name }): Leave => ({ decision, rule: `${policy.name}.${name}` }));
    const decision = modes[policy.mode][call.level];
    // The common case: a call that a mode allows leaves no record.
    if (decision === 'allow') return [];
    return [{ decision, rule: `${policy.name} (${policy.mode}, ${call.level})` }];
  });
  const all: Leave[] = asks === undefined ? said : [...said, { decision: 'ask', rule: asks }];
  const [first, ...others] = all;
  if (!first) return undefined;
  const strictest = others.reduce(stricter, first);
  if (strictest.decision !== 'ask' || !grant) return strictest;
  const { id, until } = grant;
  return { ...strictest, decision: 'allow', grant: id, ...defined({ until }) };
}

/** Between two equally strict ones, the first by name wins, so that their order has no effect. */
function stricter(one: Leave, other: Leave): Leave {
  const more = strictness[other.decision] - strictness[one.decision];
  return more > 0 || (more === 0 && other.rule < one.rule) ? other : one;
}

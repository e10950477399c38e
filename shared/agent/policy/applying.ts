import type { Policies } from '../config/policies.ts';
import type { Policy } from '../config/policy.ts';
import { type KnownCallers, mayHaveMoreRoles } from '../session/caller.ts';

/** Whether an agent declares any policy. */
export const hasPolicies = (agent: Policies | undefined): boolean =>
  agent?.policy !== undefined || agent?.policyBy !== undefined;

/**
 * The policies that apply to a run: the agent's own, and those of the channels and roles of everyone whose messages it has read.
 * If some of these people are unknown, every policy may apply. Pure.
 */
export function policiesOf({ policy, policyBy }: Policies, run: KnownCallers | undefined): readonly Policy[] {
  const { channel = {}, role = {} } = policyBy ?? {};
  const { callers = [], strangers } = run ?? {};
  const anybody = strangers || callers.length === 0;
  const ways = Object.entries(channel).filter(
    ([name]) => anybody || callers.some((caller) => caller.channel === name),
  );
  const roles = Object.entries(role).filter(
    ([name]) => anybody || callers.some((caller) => mayHaveMoreRoles(caller) || caller.roles?.includes(name)),
  );
  const all = [...(policy ? [policy] : []), ...[...ways, ...roles].flatMap(([, one]) => one ?? [])];
  return [...new Set(all)];
}

import type { Policies } from '../config/policies.ts';
import type { Policy } from '../config/policy.ts';
import { type KnownCallers, mayHaveMoreRoles } from '../session/caller.ts';

/** Whether an agent says anything of policies. */
export const hasPolicies = (agent: Policies | undefined): boolean =>
  agent?.policy !== undefined || agent?.policyBy !== undefined;

/**
 * The policies that a run is held to: the agent's own, and those of the channels and roles of everybody whose messages it has read. Where
 * nobody knows all of them, each policy may be one of theirs. Pure.
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

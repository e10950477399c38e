import { type Policy, type PolicyInput, PolicyKeys } from '../config/policy.ts';
import { explain } from '../plain/explain.ts';
import { freezeDeep } from '../plain/merge.ts';
import { once } from '../plain/once.ts';

/**
 * Declares a policy: the calls that an agent may make, those that need a person's approval, and those that it may never make
 * (docs/leave.md). Throws if it is not valid, and names every wrong key.
 *
 * @example
 * const careful = definePolicy({
 *   name: 'careful', mode: 'auto_safe',
 *   rules: [
 *     { name: 'secrets', decision: 'forbid', tools: ['*'], when: [{ argument: 'path', under: 'secrets' }] },
 *     { name: 'small-refunds', decision: 'allow', tools: ['refund'], when: [{ argument: 'euros', atMost: 20 }] },
 *   ],
 * });
 */
export function definePolicy(definition: PolicyInput): Policy {
  const parsed = PolicyKeys.safeParse(definition, once);
  if (!parsed.success)
    throw new Error(`policy ${definition.name ?? '?'}:\n${explain(parsed.error, PolicyKeys)}`);
  return freezeDeep(parsed.data);
}

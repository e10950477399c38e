import type { Level } from '../../../shared/agent/config/levels.ts';
import type { Policy, PolicyInput } from '../../../shared/agent/config/policy.ts';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { evaluate } from '../../../shared/agent/policy/evaluate.ts';
import type { SeenCall } from '../../../shared/agent/policy/match.ts';

type Rules = NonNullable<PolicyInput['rules']>;

/** A policy named `p`, of rules in few words. */
export const policy = (rules: Rules, mode: PolicyInput['mode'] = 'yolo', name = 'p'): Policy =>
  definePolicy({ name, mode, rules });

/** A call of `edit` that changes a file, unless it says otherwise. */
export const call = (more: Partial<SeenCall> & { readonly level?: Level } = {}): SeenCall => ({
  tool: 'edit',
  effect: 'idempotent',
  level: 'moderate',
  input: { value: { path: 'src/a.ts' } },
  ...more,
});

export const pattern = (expression: string, text: string): boolean => new RegExp(expression).test(text);

/** The decision on a call under these policies. */
export const decide = (policies: readonly Policy[], seen: SeenCall = call()) =>
  evaluate({ policies, call: seen, pattern });

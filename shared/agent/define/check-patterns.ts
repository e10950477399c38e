import { policiesIn } from '../config/policies.ts';
import { loadExpressions } from '../plain/expressions.ts';
import type { Deployment } from './deployment-keys.ts';

/**
 * Rejects if a policy of a deployment has a regular expression that RE2 does not know, and names the rule. The error comes before
 * the deploy; otherwise a call would find that its argument cannot be checked (docs/leave.md).
 */
export async function checkPatterns({ agents }: Pick<Deployment, 'agents'>): Promise<void> {
  const { compile } = await loadExpressions();
  for (const agent of agents)
    for (const policy of policiesIn(agent))
      for (const rule of policy.rules)
        for (const { argument, matches } of rule.when) {
          if (matches === undefined) continue;
          try {
            compile(matches);
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            throw new Error(
              `agent ${agent.name}: rule ${policy.name}.${rule.name} asks whether ${argument} matches ${JSON.stringify(matches)}, which cannot be used: ${why}`,
            );
          }
        }
}

import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { type FunctionName, functionNames } from '../bundle.ts';

/** The functions that a definition has a use for. */
export function neededFunctions(facts: DeploymentFacts): FunctionName[] {
  const { slack, agui, webhooks, queuedTools } = facts;
  const isNeeded: Partial<Record<FunctionName, boolean>> = {
    tool: queuedTools,
    deliver: delivers(facts),
    hooks: webhooks.length > 0,
    slack,
    'slack-jobs': slack,
    agui,
  };
  return functionNames.filter((name) => isNeeded[name] ?? true);
}

/** Whether anybody outside is told of sessions. */
export const delivers = ({ slack, callbacks }: DeploymentFacts): boolean => slack || callbacks;

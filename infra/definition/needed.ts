import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { type FunctionName, functionNames } from '../bundle.ts';

/** The functions that a definition needs, and the console if it is wanted. */
export function neededFunctions(facts: DeploymentFacts, console: boolean): FunctionName[] {
  const { slack, agui, chat, webhooks, queuedTools } = facts;
  const isNeeded: Partial<Record<FunctionName, boolean>> = {
    tool: queuedTools,
    deliver: delivers(facts),
    hooks: webhooks.length > 0,
    slack,
    'slack-jobs': slack,
    agui: agui || chat,
    console,
  };
  return functionNames.filter((name) => isNeeded[name] ?? true);
}

/** Whether sessions have outside listeners. */
export const delivers = ({ slack, callbacks }: DeploymentFacts): boolean => slack || callbacks;

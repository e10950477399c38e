import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { type FunctionName, functionNames } from '../bundle.ts';

/** The functions that a definition has a use for, and the console where it is wanted. */
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

/** Whether anybody outside is told of sessions. */
export const delivers = ({ slack, callbacks }: DeploymentFacts): boolean => slack || callbacks;

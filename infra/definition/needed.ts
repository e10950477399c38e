import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { type FunctionName, functionNames } from '../bundle.ts';

/** The functions that a definition needs, and the console if it is wanted. */
export function neededFunctions(facts: DeploymentFacts, console: boolean): FunctionName[] {
  const { slack, mailboxes, agui, chat, webhooks, queuedTools } = facts;
  const isNeeded: Partial<Record<FunctionName, boolean>> = {
    tool: queuedTools,
    deliver: delivers(facts),
    hooks: webhooks.length > 0,
    slack,
    'slack-jobs': slack,
    channels: hasChannels(facts),
    mail: mailboxes.length > 0,
    agui: agui || chat,
    console,
  };
  return functionNames.filter((name) => isNeeded[name] ?? true);
}

/** Whether sessions have outside listeners. */
export const delivers = (facts: DeploymentFacts): boolean =>
  facts.slack || facts.callbacks || hasChannels(facts);

/** Whether people talk to agents by e-mail, or by a channel of the definition. */
export const hasChannels = ({
  mailboxes,
  channels,
}: Pick<DeploymentFacts, 'mailboxes' | 'channels'>): boolean => mailboxes.length > 0 || channels.length > 0;

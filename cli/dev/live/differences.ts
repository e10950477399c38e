/** The parts of a definition's facts that are in the template: if one changes, new code is not enough. */

import type { DeploymentFacts } from '../../../shared/contract/facts.ts';

/** The differences in words; empty if new code is enough. The defaults of settings are in the code, and so are the agents. */
export function differences(before: DeploymentFacts, after: DeploymentFacts): string[] {
  const was = inTemplate(before);
  const is = inTemplate(after);
  return (Object.keys(words) as Part[])
    .filter((part) => text(was[part]) !== text(is[part]))
    .map((part) => words[part]);
}

type Part = Exclude<keyof DeploymentFacts, 'agents' | 'packages'>;

const words: Readonly<Record<Part, string>> = {
  settings: 'settings',
  secrets: 'secrets',
  secretsOf: 'the access to secrets',
  models: 'model servers',
  bedrockModels: 'the models of Bedrock',
  webhooks: 'webhooks',
  schedules: 'schedules',
  slack: 'Slack',
  slackFeedback: 'ratings in Slack',
  slackTaskCards: 'task cards in Slack',
  mailboxes: 'e-mail addresses',
  channels: 'channels',
  agui: 'AG-UI',
  mcp: 'MCP',
  a2a: 'A2A',
  chat: 'chat of the AI SDK',
  callbacks: 'callbacks',
  queuedTools: 'the tool queue',
  heavySteps: 'the memory of steps',
  identity: 'identity',
};

const inTemplate = ({ settings, ...facts }: DeploymentFacts): Readonly<Record<Part, unknown>> => ({
  identity: undefined,
  ...facts,
  settings: Object.entries(settings).map(([name, setting]) => [
    name,
    setting.description,
    setting.default === undefined,
  ]),
});

const text = (value: unknown): string => JSON.stringify(value) ?? '';

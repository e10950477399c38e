import type { AgentFacts, DeploymentFacts, IdentityFacts, OptionalPackage } from '../../contract/facts.ts';
import { rulesOfEffect } from '../config/effects.ts';
import type { Tool } from '../tools/tool.ts';
import type { Agent } from './agent.ts';
import { bedrockModels } from './bedrock-models.ts';
import { hashOfDeclared } from './declared-schedules.ts';
import { isDeployment } from './deployment.ts';
import type { Deployment } from './deployment-keys.ts';
import { modelsOf } from './models-of.ts';

/** The facts of a definition file's default export. Throws with a sentence if that is not a deployment. */
export function describeExport(exported: unknown): DeploymentFacts {
  if (isDeployment(exported)) return describeDeployment(exported);
  throw new Error('the default export must be made by defineDeployment (docs/extending.md)');
}

/** The facts of a deployment that infrastructure and the laptop need, as plain JSON. */
export function describeDeployment(deployment: Deployment): DeploymentFacts {
  const { agents, webhooks, schedules, slack, email, channels, agui, chat, mcp, a2a, callbacks } = deployment;
  const { settings, secrets, models, identity } = deployment;
  const tools = agents.flatMap((agent) => agent.tools);
  const inline = tools.filter(({ where = 'inline' }) => where === 'inline');
  const queued = tools.filter(({ where }) => where === 'queue');
  const sources = agents.flatMap((agent) => agent.toolSources);
  const queues = sources.filter(({ queue }) => queue);
  const secretsOfTools = (some: readonly Pick<Tool, 'secrets'>[]) =>
    some.flatMap((tool) => tool.secrets ?? []);
  return {
    agents: agents.map(agentFacts),
    settings,
    secrets,
    secretsOf: {
      step: once([
        ...secretsOfTools(inline),
        ...secretsOfTools(sources),
        ...Object.values(models).flatMap(({ secret }) => secret ?? []),
      ]),
      tool: once(secretsOfTools([...queued, ...queues])),
      hooks: once(Object.values(webhooks).flatMap(({ verify }) => verify.secret ?? [])),
      channels: once(Object.values(channels).flatMap(({ verify }) => verify.secret ?? [])),
      deliver: once(Object.values(channels).flatMap(({ secrets }) => secrets)),
    },
    models,
    bedrockModels: bedrockModels(deployment),
    webhooks: Object.keys(webhooks),
    packages: packagesOf(deployment),
    schedules: hashOfDeclared(schedules),
    slack: slack !== undefined,
    mailboxes: Object.keys(email?.mailboxes ?? {}),
    channels: Object.keys(channels),
    slackFeedback: slack?.feedback === true,
    slackTaskCards: slack?.taskCards === true,
    agui,
    chat,
    mcp,
    a2a,
    callbacks,
    queuedTools: queued.length > 0 || queues.length > 0,
    heavySteps: inline.some(({ evidence }) => evidence?.shell || evidence?.compiles),
    ...(identity && { identity: identityFacts(identity) }),
  };
}

const NEEDS_OPENAI = /^openai(?:-xml|-responses)?$/;

function packagesOf({ agents, webhooks, channels, mcp, a2a }: Deployment): OptionalPackage[] {
  return [
    ...(modelsOf(agents).some(({ provider }) => NEEDS_OPENAI.test(provider)) ? (['openai'] as const) : []),
    ...([...Object.values(webhooks), ...Object.values(channels)].some(
      ({ verify }) => verify.kind === 'stripe',
    )
      ? (['stripe'] as const)
      : []),
    ...(mcp ? (['@modelcontextprotocol/server'] as const) : []),
    ...(a2a ? (['@a2a-js/sdk'] as const) : []),
  ];
}

const identityFacts = ({ audience, ...rest }: NonNullable<Deployment['identity']>): IdentityFacts => ({
  ...rest,
  audiences: audience,
});

const once = (names: readonly string[]): string[] => [...new Set(names)].sort();

const agentFacts = ({ name, approvals, tools, skills }: Agent): AgentFacts => ({
  name,
  skills,
  unasked: tools
    .filter(
      ({ effect, approval }) =>
        !rulesOfEffect(effect).rerun &&
        (approval === 'never' || (approval === undefined && !approvals.effects.includes(effect))),
    )
    .map((tool) => tool.name),
});

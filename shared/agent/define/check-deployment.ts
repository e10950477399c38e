import { builtInProviders } from '../config/model.ts';
import { SHAPE } from '../config/shape.ts';
import { nearest } from '../plain/nearest.ts';
import type { Agent } from './agent.ts';
import type { Deployment } from './deployment-keys.ts';
import { nameOfAgent } from './handoffs.ts';

/**
 * Errors of a deployment whose parts are each valid: names that are not declared, and duplicates. One sentence each, which begins
 * with the place.
 */
export function checkDeployment(deployment: Deployment): string[] {
  const { agents, webhooks, email, channels, settings, secrets, models, providers } = deployment;
  const declared = { settings: Object.keys(settings), secrets: Object.keys(secrets) };
  return [
    ...twice('agents', agents),
    ...wrongSchedules(deployment),
    ...Object.keys(settings)
      .filter((name) => Object.hasOwn(secrets, name))
      .map((name) => `settings.${name}: a secret has this name too; rename one`),
    ...[...builtInProviders, SHAPE]
      .filter((name) => Object.hasOwn(providers, name))
      .map((name) => `providers.${name}: this name is built in; choose another`),
    ...agents.flatMap((agent) => [
      ...wrongTools(agent, declared),
      ...wrongModels(agent, deployment),
      ...missingAgents(agent, agents),
      ...wrongHandoffs(agent, agents),
    ]),
    ...Object.entries(models)
      .filter(([, { baseUrl }]) => !isPlain(baseUrl))
      .map(
        ([name]) =>
          `models.${name}.baseUrl: must have no user, password, ? or #: keys belong in secrets, and paths are appended to the URL`,
      ),
    ...Object.entries(models).flatMap(([name, { secret }]) =>
      secret === undefined ? [] : undeclared(`models.${name}.secret`, 'secrets', secret, declared.secrets),
    ),
    ...Object.entries(webhooks).flatMap(([name, { verify }]) =>
      verify.secret === undefined
        ? []
        : undeclared(`webhooks.${name}.verify.secret`, 'secrets', verify.secret, declared.secrets),
    ),
    ...Object.entries(channels).flatMap(([name, { verify, secrets: read }]) =>
      [...(verify.secret === undefined ? [] : [verify.secret]), ...read].flatMap((secret) =>
        undeclared(`channels.${name}`, 'secrets', secret, declared.secrets),
      ),
    ),
    ...Object.entries(email?.mailboxes ?? {}).flatMap(([address, { agent }]) =>
      unknown(
        `email.mailboxes.${address}.agent`,
        `there is no agent ${agent}`,
        agent,
        agents.map(({ name }) => name),
      ),
    ),
  ];
}

/** A URL in a definition also appears in the template. */
function isPlain(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !url.username && !url.password && !/[?#]/.test(text);
}

function twice(key: string, all: readonly { readonly name: string }[]): string[] {
  const names = all.map(({ name }) => name);
  const doubled = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  return [...doubled].map((name) => `${key}: two are named ${name}`);
}

/** Schedules of a definition, counted once for each of their tenants: their keys are kept in one item. */
const MAX_SCHEDULES = 2_000;

function wrongSchedules({ agents, schedules, callbacks }: Deployment): string[] {
  const names = agents.map(({ name }) => name);
  const count = schedules.reduce((sum, { tenants }) => sum + tenants.length, 0);
  return [
    ...twice('schedules', schedules),
    ...(count > MAX_SCHEDULES
      ? [
          `schedules: ${count} in all tenants, and ${MAX_SCHEDULES} are allowed; create the others with POST /schedules`,
        ]
      : []),
    ...schedules.flatMap(({ name, agent, callbackUrl }) => [
      ...unknown(`schedules.${name}.agent`, `there is no agent ${agent}`, agent, names),
      ...(callbackUrl !== undefined && !callbacks
        ? [`schedules.${name}.callbackUrl: set callbacks: true in the definition`]
        : []),
    ]),
  ];
}

type Declared = Readonly<Record<'settings' | 'secrets', readonly string[]>>;

const wrongTools = ({ name, tools, toolSources }: Agent, declared: Declared): string[] =>
  [
    ...tools.map((tool) => ({ ...tool, place: `tool ${tool.name}` })),
    ...toolSources.map((source) => ({ ...source, place: `tool source ${source.name}` })),
  ].flatMap((asker) =>
    (['settings', 'secrets'] as const).flatMap((kind) =>
      (asker[kind] ?? []).flatMap((asked) =>
        undeclared(`agent ${name}, ${asker.place}, ${kind}`, kind, asked, declared[kind]),
      ),
    ),
  );

/** A child is a session of a deployed agent. */
const missingAgents = ({ name, agents: asked }: Agent, agents: readonly Agent[]): string[] =>
  Object.entries(asked).flatMap(([key, { agent }]) =>
    agents.some((one) => one === agent)
      ? []
      : [
          `agent ${name}, agents.${key}: ${agent.name} is not one of the deployment's agents; add it to agents`,
        ],
  );

const wrongHandoffs = ({ name, handoffs }: Agent, agents: readonly Agent[]): string[] =>
  Object.entries(handoffs).flatMap(([key, { agent }]) => {
    const place = `agent ${name}, handoffs.${key}`;
    const to = nameOfAgent(agent);
    if (to === name) return [`${place}: an agent cannot hand over to itself`];
    return unknown(
      `${place}.agent`,
      `${to} is not one of the deployment's agents`,
      to,
      agents.map((one) => one.name),
    );
  });

function wrongModels({ name, model, models: choices }: Agent, deployment: Deployment): string[] {
  return [
    ...wrongModel(name, model, 'model', deployment),
    ...choices.slice(1).flatMap((one, i) => wrongModel(name, one, `models.${i + 1}`, deployment)),
  ];
}

function wrongModel(
  name: string,
  model: Agent['model'],
  key: string,
  { models, providers }: Deployment,
): string[] {
  const servers = Object.keys(models);
  const spoken = [...builtInProviders, ...Object.keys(providers)];
  const { fallbacks, summarizer, judge } = model;
  const asked = [
    { ...model, place: key },
    ...fallbacks.map((one, i) => ({ ...one, place: `${key}.fallbacks.${i}` })),
    ...(summarizer ? [{ ...summarizer, place: `${key}.summarizer` }] : []),
    ...(judge ? [{ ...judge, place: `${key}.judge` }] : []),
  ];
  return asked.flatMap(({ provider, server, place: at }) => {
    if (provider === SHAPE) return [];
    const place = `agent ${name}, ${at}`;
    return [
      ...unknown(`${place}.server`, `no model server ${server} is declared under models`, server, servers),
      ...unknown(`${place}.provider`, `there is no provider ${provider}`, provider, spoken),
    ];
  });
}

const undeclared = (place: string, kind: keyof Declared, name: string, known: readonly string[]): string[] =>
  unknown(place, `${name} is not declared under ${kind}`, name, known);

function unknown(place: string, says: string, name: string, known: readonly string[]): string[] {
  if (known.includes(name)) return [];
  const guess = nearest(name, known);
  return [`${place}: ${says}${guess ? `; did you mean ${guess}?` : ''}`];
}

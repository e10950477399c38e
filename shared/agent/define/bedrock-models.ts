import type { Deployment } from './deployment-keys.ts';
import { modelsOf } from './models-of.ts';

/** Bedrock's own endpoint. Without a key, only a signature of the function's role reaches it. */
const BEDROCK = /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** The models that the step function asks Bedrock for by its role: those of agents, and those that a server allows besides. */
export function bedrockModels({ agents, models }: Pick<Deployment, 'agents' | 'models'>): string[] {
  const byRole = Object.entries(models).filter(
    ([, { baseUrl, secret }]) => secret === undefined && BEDROCK.test(URL.parse(baseUrl)?.hostname ?? ''),
  );
  const servers = new Set(byRole.map(([name]) => name));
  const named = modelsOf(agents)
    .filter(({ provider, server }) => provider === 'bedrock-converse' && servers.has(server))
    .map(({ name }) => name);
  return [...new Set([...named, ...byRole.flatMap(([, { allow = [] }]) => allow)])].sort();
}

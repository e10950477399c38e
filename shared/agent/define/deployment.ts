import type * as z from 'zod';
import { shapeOf } from '../config/shape.ts';
import { explainInLines } from '../plain/explain.ts';
import { once } from '../plain/once.ts';
import type { Agent } from './agent.ts';
import { checkDeployment } from './check-deployment.ts';
import { type Deployment, type DeploymentDefinition, DeploymentKeys } from './deployment-keys.ts';

/**
 * Declares everything that is deployed together: the one contract between a project and Steploop. The default export of
 * `steploop.config.ts`. Throws with one line for each error and its place.
 *
 * @example
 * export default defineDeployment({
 *   agents: [support],
 *   secrets: { ANTHROPIC_API_KEY: { description: 'Key of the model.' } },
 * });
 */
export function defineDeployment(definition: DeploymentDefinition): Deployment {
  const parsed = DeploymentKeys.safeParse(definition, once);
  if (!parsed.success) throw new WrongDeployment(explainInLines(parsed.error, DeploymentKeys));
  const agents = withShapes(parsed.data.agents);
  const deployment = withModels({ ...parsed.data, agents });
  // As they are written: those with the deployment's prices are copies, and an agent asks the original.
  const wrong = checkDeployment({ ...deployment, agents });
  if (wrong.length > 0) throw new WrongDeployment(wrong);
  for (const part of Object.values(deployment)) Object.freeze(part);
  made.add(deployment);
  return Object.freeze(deployment);
}

/** The agents, and the shapes that they ask: a shape need not be listed. */
function withShapes(agents: readonly Agent[]): Agent[] {
  const asked = agents.flatMap((one) => Object.values(one.agents).map(({ agent }) => agent as Agent));
  const unlisted = asked.filter((one) => shapeOf(one.model) && !agents.includes(one));
  return unlisted.length > 0 ? withShapes([...agents, ...new Set(unlisted)]) : [...agents];
}

const made = new WeakSet<object>();

/** Whether a value was made by {@link defineDeployment}, and so was validated. */
export const isDeployment = (value: unknown): value is Deployment =>
  typeof value === 'object' && value !== null && made.has(value);

/** Lists what is wrong with a definition, one line each. */
class WrongDeployment extends Error {
  override name = 'WrongDeployment';
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** The secret of the default server, if no server is declared. */
const DEFAULT_KEY = 'ANTHROPIC_API_KEY';

function withModels({ models, ...all }: z.output<typeof DeploymentKeys>): Deployment {
  const { agents, prices } = all;
  const isPriced = Object.keys(prices).length > 0;
  const rest = {
    ...all,
    agents: isPriced ? agents.map((agent) => Object.freeze({ ...agent, prices })) : agents,
  };
  if (models) return { ...rest, models };
  const key = { [DEFAULT_KEY]: { description: 'API key of Anthropic.' } };
  return {
    ...rest,
    secrets: { ...key, ...rest.secrets },
    models: { primary: { baseUrl: 'https://api.anthropic.com', auth: 'bearer', secret: DEFAULT_KEY } },
  };
}
